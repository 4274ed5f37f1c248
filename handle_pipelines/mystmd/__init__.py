"""Handles and DOIs in mystmd (Jupyter Book 2): an executable plugin.

A project has the plugin as a file that may be executed, and names it in ``myst.yml``::

    #!/usr/bin/env python3
    from handle_pipelines.mystmd import main
    main()

    project:
      plugins:
        - type: executable
          path: handles.py

mystmd shows what such a plugin says only with ``--debug``.  The file that `javascript`
gives starts the same program, and shows it.

It makes links of references in running text, has the roles ``hdl`` and ``doi`` and the
directive ``cite-version``, and corrects the targets of links.  It asks no server.
"""

from pathlib import Path

from handle_pipelines.mystmd.plugin import main

__all__ = ["javascript", "main"]


def javascript() -> str:
    """The plugin ``handles.mjs``, which starts ``handles.py`` and shows its findings."""
    return Path(__file__).with_name("handles.mjs").read_text("utf-8")
