"""Citing: the directive ``cite-version``, its card, and the metadata of pages.

- `directive` reads the directive and the page's other sources, and makes the card;
- `pages` keeps which page is which version of which work, checks their targets, and
  writes cards as HTML, with files, links and metadata for machines.
"""
