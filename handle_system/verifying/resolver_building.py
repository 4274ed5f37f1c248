"""Making the resolver that settings describe, of the parts that compose."""

from collections.abc import Callable

from handle_system.bases import checked_base
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.proxy_resolver import ProxyResolver
from handle_system.resolving.records_file import RecordsResolver
from handle_system.resolving.resolver import Resolver
from handle_system.resolving.resolver_chain import ResolverChain
from handle_system.verifying.verification_settings import (
    VerificationSettings,
    is_address,
)

__all__ = ["build_resolver"]


def build_resolver(
    settings: VerificationSettings,
    *,
    notice: Callable[[str], object] = lambda _text: None,
    warn: Callable[[str], object] = lambda _text: None,
) -> Resolver:
    """The resolver that asks whom the settings name, in their order; for one run.

    Args:
        settings: Whom to ask, and how.
        notice: Is told, in one line, of a proxy that is given up.
        warn: Is told, in one line, of a cache that cannot be used.

    Raises:
        RecordsFileError: when a records file cannot be read.
        UnusableSettingError: when certificates to be trusted cannot be read, or a
            proxy cannot be asked through.
    """
    resolvers: list[Resolver] = [
        ProxyResolver(named, http=settings.http, notice=notice, once=True)
        if is_address(named)
        else RecordsResolver.from_file(named)
        for named in dict.fromkeys(
            checked_base(each) if is_address(each) else each
            for each in settings.resolvers
        )
    ]
    # Only what a proxy answers is remembered.  The cache is opened when nothing can
    # go wrong any more, and is closed with whoever has it.
    proxies = [each for each in resolvers if isinstance(each, ProxyResolver)]
    if settings.cache is not None and proxies:
        cache = Cache(settings.cache, warn=warn)
        resolvers = [
            CachingResolver(each, cache) if isinstance(each, ProxyResolver) else each
            for each in resolvers
        ]
    return ResolverChain(resolvers)
