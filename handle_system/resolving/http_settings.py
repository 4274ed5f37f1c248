"""How to connect: time-outs, certificates, HTTP proxies, and who says so.

urllib3 reads none of the variables by which a machine's owner says how its
programs reach the network, so they are read here, once for each resolver:

==========================================  ==================================
``HTTP_PROXY`` ``HTTPS_PROXY`` ``ALL_PROXY``  the proxy to go through (lower case
                                            wins; the first not under CGI,
                                            where it is a request's header)
``NO_PROXY``                                hosts, suffixes and networks that
                                            are asked directly, or ``*``
``REQUESTS_CA_BUNDLE`` ``CURL_CA_BUNDLE``     the authorities to trust: a file,
``SSL_CERT_FILE`` ``SSL_CERT_DIR``            or a folder of them
==========================================  ==================================

What the caller says goes before what the environment says.  A choice that
cannot be followed (a certificate file that is not there) is an error of the
configuration, raised when the resolver is made, or before it by `check_reach`.
"""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

__all__ = ["HttpSettings", "UnusableSettingError"]

DEFAULT_TIMEOUT = 10.0

_LAST_OF_LATIN_1 = 0xFF

# As generous as name servers are: some have an underscore, and some are not of ASCII.
_HOST = re.compile(r"[^\s\x00-\x1f\x7f%\\]+")


class UnusableSettingError(ValueError):
    """A choice that cannot be followed: whose it is, and why.

    A variable of the environment is called by its name, anything else by that of
    the attribute of `HttpSettings`.
    """

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"{setting}: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """What may be chosen about HTTP.

    Attributes:
        timeout: Seconds for one request, from the first octet to the last.
        user_agent: Who asks; empty for this library's name and version.
        tls_verify: Whether certificates are checked.
        tls_cacerts: The file or folder of authorities to trust, or one for
            each host; `None` for the environment's, then the system's.
        environment: The variables above.

    Raises:
        UnusableSettingError: when a user agent cannot be sent.
    """

    timeout: float = DEFAULT_TIMEOUT
    user_agent: str = ""
    tls_verify: bool = True
    tls_cacerts: str | os.PathLike[str] | Mapping[str, str] | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def __post_init__(self) -> None:
        agent = self.user_agent
        if not agent.isprintable() or any(
            ord(each) > _LAST_OF_LATIN_1 for each in agent
        ):
            raise UnusableSettingError(
                "user_agent", f"{agent!r} cannot be sent: it is not printable Latin-1"
            )


def find_proxy(origin: str, environment: Mapping[str, str]) -> str | None:
    """The proxy through which `origin` is to be asked, if any.

    Raises:
        UnusableSettingError: when it is no address, or that of another kind of proxy.

    >>> find_proxy("https://doi.org", {"HTTPS_PROXY": "http://proxy:3128"})
    'http://proxy:3128'
    """
    scheme = urlsplit(origin).scheme
    names = [f"{scheme}_proxy", f"{scheme.upper()}_PROXY", "all_proxy", "ALL_PROXY"]
    if scheme == "http" and "REQUEST_METHOD" in environment:
        names.remove("HTTP_PROXY")
    name = next((name for name in names if environment.get(name)), None)
    if name is None or _is_exempt(origin, environment):
        return None
    proxy = environment[name]
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if (reason := _refusal(proxy)) is not None:
        raise UnusableSettingError(name, reason)
    return proxy


def _refusal(proxy: str) -> str | None:
    """Why a proxy cannot be used, if so."""
    # It is not shown, for it may hold a password.
    no_address = "it is not the address of a proxy"
    try:
        parts = urlsplit(proxy)
        port = parts.port
    except ValueError:
        return no_address
    if parts.scheme not in {"http", "https"}:
        bare = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], "", "", ""))
        return f"the proxy {bare} cannot be used: only http and https proxies can"
    if _HOST.fullmatch(parts.hostname or "") is None or port == 0:
        return no_address
    return None


def _is_exempt(origin: str, environment: Mapping[str, str]) -> bool:
    exempt = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    parts = urlsplit(origin)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    for entry in exempt.lower().split(","):
        entry = entry.strip()  # noqa: PLW2901 (the same entry, cleaned)
        if entry == "*":
            return True
        entry = entry.removesuffix(f":{port}").strip("[]")  # noqa: PLW2901 (as above)
        entry = entry.removeprefix("*").removeprefix(".")  # noqa: PLW2901 (as above)
        if entry and (
            host == entry or host.endswith(f".{entry}") or _in_network(host, entry)
        ):
            return True
    return False


def _in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
