"""Which certificates are trusted when a server is asked over TLS."""

import os
import ssl
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from handle_system.http_settings import HttpSettings

__all__ = ["tls_context"]


def tls_context(origin: str, settings: HttpSettings) -> ssl.SSLContext:
    """The TLS context for a server, by its scheme and authority.

    Raises:
        ValueError: when the authorities to trust cannot be read.
    """
    if not settings.tls_verify:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    trusted = _authorities(origin, settings)
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


def _authorities(origin: str, settings: HttpSettings) -> str | None:
    chosen = settings.tls_cacerts
    if isinstance(chosen, Mapping):
        chosen = chosen.get(urlsplit(origin).hostname or "")
    if chosen:
        return os.fspath(chosen)
    names = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
    for name in names:
        if settings.environment.get(name):
            return settings.environment[name]
    system = ssl.get_default_verify_paths()
    if system.cafile or system.capath or find_spec("certifi") is None:
        return None
    # A system without certificates of its own, as slim containers are.
    import certifi  # noqa: PLC0415 (it need not be installed)

    return certifi.where()
