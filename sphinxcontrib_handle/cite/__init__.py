"""Citing: the directive ``cite-version``, its card, and the metadata of pages.

- `directive` reads the directive and the page's other sources, and makes the card;
- `works` keeps which page is which version of which work, and checks their targets;
- `nodes` writes a card for every builder;
- `html` writes it as HTML, with files, links and metadata for machines.
"""
