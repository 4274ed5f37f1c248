"""Citing a work and its versions: sources, one pipeline, the card, formats, metadata.

::

    sources ──► pipeline.citation ──► Citation ──► card.make_card
                                               ├─► formats.export
                                               └─► metadata

A front end collects its sources, the nearest to the reader first, and renders what
it gets back::

    written = directive_source(options, body, lines)       # citing.sources
    page = page_source(metadata)
    named = written.works_file or page.works_file          # "works.toml#id"
    sources = [written, page, file_source(path, identity), configuration_source(...)]
    cited = citation(sources, HandleReader(proxies, allowed_variables(names)))
    card = make_card(cited, translate)                     # citing.card

`CitationError` has the place of a wrong value in its own source, and its line;
`Citation.problems` are faults that do not keep a card from being shown.
`pipeline.to_plain` makes a citation plain data for an environment that is pickled.
"""
