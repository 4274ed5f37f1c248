"""Citing: the directive ``cite-version``, its card, and the metadata of pages.

- `directive` reads the directive, and notices the pages with cards;
- `cards` makes the cards of a page from its sources;
- `works` keeps which page is which version of which work, and checks their targets;
- `content` makes the content of a card of docutils nodes, and `nodes` has its own node;
- `hooks` says when a build writes cards as HTML;
- `html` writes them, and files, links and metadata for machines.

A build loads `directive`, `nodes` and `hooks`; the rest is for projects that have a card.
"""
