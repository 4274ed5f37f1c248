"""Verify that all handles of a set of documents are registered, and report it."""
