"""Which certificates are trusted when a server is asked over TLS."""

import os
import ssl
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from handle_system.resolving.http_settings import (
    HttpSettings,
    UnusableSettingError,
    find_proxy,
)

__all__ = ["check_reach", "is_encrypted", "tls_context"]

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
# Characters, with what is said of it before it; most take two thousand.
_LONGEST_CERTIFICATE = 65_536


def is_encrypted(origin: str, proxy: str | None) -> bool:
    """Whether TLS is spoken with a server, or with the proxy on the way to it."""
    return "https://" in f"{origin} {proxy}"


def check_reach(base_url: str, settings: HttpSettings) -> None:
    """See to it that what was chosen about the way to a server can be followed.

    It takes no network, and little time: what the system trusts is not read, and a
    file of the usual kind not further than to its first certificate.

    Raises:
        UnusableSettingError: when it cannot.
    """
    parts = urlsplit(base_url)
    origin = f"{parts.scheme}://{parts.netloc}"
    if not is_encrypted(origin, find_proxy(origin, settings.environment)):
        return
    chosen = _chosen(origin, settings)
    if settings.tls_verify and chosen is not None and not _is_usual(chosen[1]):
        _trusting(*chosen)


def _is_usual(trusted: str) -> bool:
    """Whether a file begins with a certificate that can be read."""
    try:
        with Path(trusted).open(encoding="ascii", errors="replace") as file:
            text = file.read(_LONGEST_CERTIFICATE)
        first = text[text.index(_BEGIN) : text.index(_END) + len(_END)]
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=first)
    except (OSError, ValueError):
        return False
    return True


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
        UnusableSettingError: when the authorities to trust cannot be read.
    """
    if not settings.tls_verify:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    if (chosen := _chosen(origin, settings)) is not None:
        return _trusting(*chosen)
    return ssl.create_default_context(cafile=_last_resort(system()))


def _trusting(setting: str, trusted: str) -> ssl.SSLContext:
    """A context for the authorities in a file or a folder, which a setting names."""
    if Path(trusted).is_dir():
        return ssl.create_default_context(capath=trusted)
    try:
        return ssl.create_default_context(cafile=trusted)
    except OSError as error:
        reason = error.strerror or error
        raise UnusableSettingError(
            setting, f"the certificates in {trusted} cannot be used: {reason}"
        ) from error


def _chosen(origin: str, settings: HttpSettings) -> tuple[str, str] | None:
    """The authorities that somebody chose, and where."""
    chosen = settings.tls_cacerts
    if isinstance(chosen, Mapping):
        chosen = chosen.get(urlsplit(origin).hostname or "")
    if chosen:
        return "tls_cacerts", os.fspath(chosen)
    names = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
    environment = settings.environment
    return next(
        ((name, environment[name]) for name in names if environment.get(name)), None
    )


def _last_resort(system: ssl.DefaultVerifyPaths) -> str | None:
    """Authorities for a system that has none of its own, as slim containers are."""
    if system.cafile or system.capath or find_spec("certifi") is None:
        return None
    import certifi  # noqa: PLC0415 (it need not be installed)

    return certifi.where()
