"""A build in a process of its own, for tests: it verifies, with a cache.

    python -m tests.cache_worker BASE CACHE NUMBER

It writes each line that the cache says, then how many handles were resolved.
"""

import sys

from handle_system.handle import Handle
from handle_system.resolving.caching import CachingResolver
from handle_system.resolving.http_settings import HttpSettings
from handle_system.resolving.old_cache import Cache
from handle_system.resolving.old_many import resolve_many
from handle_system.resolving.outcome import Resolved
from handle_system.resolving.proxy_resolver import ProxyResolver


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main(base: str, path: str, number: int) -> None:
    handles = [Handle("20.1000", str(index)) for index in range(number)]
    with (
        ProxyResolver(base, http=HttpSettings(timeout=30.0)) as proxy,
        Cache(path, warn=say) as cache,
    ):
        outcomes = resolve_many(handles, CachingResolver(proxy, cache), connections=4)
    resolved = [one for one in outcomes.values() if isinstance(one, Resolved)]
    say(f"{len(resolved)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
