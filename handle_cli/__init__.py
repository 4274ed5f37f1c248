"""The command ``hdl``: what the core knows, at the prompt and in checks of files.

A thin front end, as the Sphinx extension and the Markdown plugin are: it reads
arguments and files, asks the core, and shows what comes back.  What a handle is,
how it is written and resolved, it does not know.

The modules are named after what they do: one for each subcommand, and `readers` for
where prose begins and ends in each syntax.

The modules::

    command.py                the list of subcommands, each imported on demand from the next line
    checking.py listing.py fixing.py parsing.py resolving.py minting.py serving.py
    registering.py referencing.py
                              a subcommand each
    listing_references.py updating_references.py references_files.py references_writing.py
                              parts of hdl references
    importing_references.py bibliographies.py bibtex_roles.py
                              hdl references import
    finding_references.py     hdl references find
    rewriting.py mending.py responders.py
                              parts of hdl fix and hdl serve
    readers/                  one module for each kind of file
    checked_texts.py          the findings about texts, for hdl check and the language server
    checked_files.py          the files of hdl check, and what its reports show of them
    stale_versions.py own_citations.py
                              what a repository says of its own old versions, and how
                              its README cites it
    files.py folders.py repositories.py charsets.py ignoring.py
                              which files and lines are read, and how they are decoded
    lsp/                      the language server
      server.py               what it answers, and when it says something by itself
      documents.py positions.py pauses.py
                              the open documents, lines and positions as editors count,
                              and when findings are due
      projects.py reading.py  settings and works of a document, and what was read of it
      diagnostics.py hovers.py completion.py actions.py commands.py
                              what an editor shows and runs
      command.py messages.py  hdl lsp, and the messages that come in
    initializing.py doctor.py
                              hdl init and hdl doctor
    site_builders.py          which site builders a project has, read from their configuration
    project_settings.py paths.py
                              [tool.handle], and patterns of paths
    check_reports.py output.py
                              which reports there are; output and exit codes
    writing.py text_files.py edits.py
                              the one way in which files of the user are written,
                              documents in their charsets, edits within a text
    markdown_text.py          rich text as a line of Markdown, for lists and editors
"""
