"""Citing: the directive ``cite-version``, its card, and the metadata of pages.

- `directive` reads the directive and makes the card of a page;
- `works` keeps which page is which version of which work;
- `nodes` writes a card for every builder;
- `html` writes it as HTML, with files, links and metadata for machines.
"""
