"""Making the resolver that settings describe, of the parts that compose."""

from handle_system.http_settings import HttpSettings
from handle_system.proxy_resolver import ProxyResolver
from handle_system.records_file import RecordsResolver
from handle_system.resolver import Resolver
from handle_system.verification_settings import VerificationSettings, is_address

__all__ = ["build_resolver"]


def build_resolver(settings: VerificationSettings) -> Resolver:
    """The resolver that asks whom the settings name, in their order.

    Raises:
        RecordsFileError: when a records file cannot be read.
    """
    http = HttpSettings(
        timeout=settings.timeout,
        user_agent=settings.user_agent,
        tls_verify=settings.tls_verify,
        tls_cacerts=settings.tls_cacerts,
    )
    return next(
        ProxyResolver(each, http=http)
        if is_address(each)
        else RecordsResolver.from_file(each)
        for each in settings.resolvers
    )
