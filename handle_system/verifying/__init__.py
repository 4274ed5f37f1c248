"""Whether all handles of a set of documents are registered, and reports of it."""
