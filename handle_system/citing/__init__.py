"""Citing a work and its versions: what is said, where it is read from, how it is written."""
