"""From a handle to its outcome: records, resolvers, the cache, and the wire."""
