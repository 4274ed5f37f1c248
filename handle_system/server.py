"""The server that an ``hdl://`` reference is presented to (seed 003)."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from handle_system.errors import HandleSyntaxError
from handle_system.path import read_path

__all__ = ["read_server", "server_named"]

_MAX_PORT = 0xFFFF
_SERVER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([0-9]{1,5}))?")
_INDEX = re.compile("[0-9]+:")


def read_server(
    authority: str, text: str, start: int, end: int, charset: str | None
) -> str | None:
    """``host[:port]`` if the authority is a server's name and a handle follows.

    An IP literal or a port tells a server (seed 003) from a prefix (seed 001).
    """
    server = server_named(authority)
    if server is None or not _is_whole_handle(text, start, end, charset):
        return None
    return server


def server_named(authority: str) -> str | None:
    """``host[:port]`` as it is compared, if the text names a server; else `None`."""
    found = _SERVER.fullmatch(authority)
    if found is None:
        return None
    host, port = found[1].lower(), found[2]
    if port is None:
        return host if _is_ip_literal(host) else None
    if not 0 < int(port) <= _MAX_PORT:
        return None
    if host.startswith("[") and not _is_ip_literal(host):
        return None
    return f"{host}:{int(port)}"


def _is_whole_handle(text: str, start: int, end: int, charset: str | None) -> bool:
    value = _INDEX.match(text, start, end)
    try:
        read_path(text, value.end() if value else start, end, charset)
    except HandleSyntaxError:
        return False
    return True


def _is_ip_literal(host: str) -> bool:
    try:
        if host.startswith("["):
            IPv6Address(host[1:-1])
        else:
            IPv4Address(host)
    except AddressValueError:
        return False
    return True
