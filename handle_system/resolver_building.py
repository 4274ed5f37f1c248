"""Making the resolver that settings describe, of the parts that compose."""

from collections.abc import Callable

from handle_system.cache import Cache
from handle_system.caching import CachingResolver
from handle_system.http_settings import HttpSettings
from handle_system.proxy_resolver import ProxyResolver
from handle_system.records_file import RecordsResolver
from handle_system.resolver import Resolver
from handle_system.resolver_chain import ResolverChain
from handle_system.verification_settings import VerificationSettings, is_address

__all__ = ["build_resolver"]


def build_resolver(
    settings: VerificationSettings,
    *,
    notice: Callable[[str], object] = lambda _text: None,
    warn: Callable[[str], object] = lambda _text: None,
) -> Resolver:
    """The resolver that asks whom the settings name, in their order.

    Args:
        settings: Whom to ask, and how.
        notice: Is told, in one line, of a proxy that is given up.
        warn: Is told, in one line, of a cache that cannot be used.

    Raises:
        RecordsFileError: when a records file cannot be read.
        ValueError: when certificates to be trusted cannot be read.
    """
    cache = None if settings.cache is None else Cache(settings.cache, warn=warn)
    http = HttpSettings(
        timeout=settings.timeout,
        user_agent=settings.user_agent,
        tls_verify=settings.tls_verify,
        tls_cacerts=settings.tls_cacerts,
    )

    def resolver(named: str) -> Resolver:
        if not is_address(named):
            return RecordsResolver.from_file(named)
        proxy = ProxyResolver(named, http=http, notice=notice)
        return proxy if cache is None else CachingResolver(proxy, cache)

    return ResolverChain(map(resolver, settings.resolvers))
