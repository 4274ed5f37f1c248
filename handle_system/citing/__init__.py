"""Citing a work and its versions: sources, one pipeline, the card, formats, metadata.

::

    sources ──► pipeline.read_citation ──► PageCitation ──► card.make_card
                                                        ├─► CitationFormat.export
                                                        └─► metadata

A front end collects its sources, the nearest to the reader first, and renders what
it gets back::

    own = directive_source(options, body, lines)           # citing.sources
    page = page_source(metadata)
    file = file_source(*works_file)                        # citing.works_files
    sources = [own, page, file, configuration_source(settings)]
    reader = HandleReader(proxies, allowed_variables(names))
    cited = read_citation(sources, reader)                 # citing.pipeline
    card = make_card(cited.citation, cited.display, translate)

`CitationError` has the place of a wrong value in its own source, and its line;
`PageCitation.problems` are faults that do not keep a card from being shown.
`pipeline.to_plain` makes a citation plain data for an environment that is pickled, and
a card is plain data.
"""
