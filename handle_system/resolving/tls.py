"""Which certificates are trusted when a server is asked over TLS."""

import os
import ssl
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from handle_system.resolving.http_settings import HttpSettings

__all__ = ["tls_context"]


def tls_context(
    origin: str,
    settings: HttpSettings,
    *,
    system: Callable[[], ssl.DefaultVerifyPaths] = ssl.get_default_verify_paths,
) -> ssl.SSLContext:
    """The TLS context for a server, by its scheme and authority.

    Args:
        origin: The server's scheme and authority.
        settings: What was chosen, by the caller and by the environment.
        system: Where this system keeps the authorities that it trusts.

    Raises:
        ValueError: when the authorities to trust cannot be read.
    """
    if not settings.tls_verify:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    trusted = _chosen(origin, settings) or _last_resort(system())
    if trusted is None:
        return ssl.create_default_context()
    if Path(trusted).is_dir():
        return ssl.create_default_context(capath=trusted)
    try:
        return ssl.create_default_context(cafile=trusted)
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or error
        raise ValueError(
            f"the certificates in {trusted} cannot be used: {reason}"
        ) from error


def _chosen(origin: str, settings: HttpSettings) -> str | None:
    """The authorities that somebody chose."""
    chosen = settings.tls_cacerts
    if isinstance(chosen, Mapping):
        chosen = chosen.get(urlsplit(origin).hostname or "")
    if chosen:
        return os.fspath(chosen)
    names = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
    environment = settings.environment
    return next((environment[name] for name in names if environment.get(name)), None)


def _last_resort(system: ssl.DefaultVerifyPaths) -> str | None:
    """Authorities for a system that has none of its own, as slim containers are."""
    if system.cafile or system.capath or find_spec("certifi") is None:
        return None
    import certifi  # noqa: PLC0415 (it need not be installed)

    return certifi.where()
