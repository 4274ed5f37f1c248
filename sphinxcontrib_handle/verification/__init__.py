"""Verification: a child process beside the build, two builders, reports.

- `run` starts the process, waits for it, and reports;
- `report` makes findings of the verdicts, for messages and for files;
- `page` renders the HTML report;
- `builders` are ``handlecheck`` and ``linkcheck``.
"""
