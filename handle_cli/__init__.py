"""The command ``hdl``: what the core knows, at the prompt and in checks of files.

A thin front end, as the Sphinx extension and the Markdown plugin are: it reads
arguments and files, asks the core, and shows what comes back.  What a handle is,
how it is written and resolved, it does not know.

The modules are named after what they do: one for each subcommand, and `readers` for
where prose begins and ends in each syntax.
"""
