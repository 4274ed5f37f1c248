"""Citing: the directive ``cite-version``, its card, and the metadata of pages.

- `directive` reads the directive and the page's other sources;
- `works` keeps which page is which version of which work, and checks their targets;
- `nodes` makes the card of docutils nodes;
- `html` writes cards as HTML, and files, links and metadata for machines.
"""
