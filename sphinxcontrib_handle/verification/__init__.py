"""Verification: a child process beside the build, two builders, reports.

- `hooks` says when a build verifies handles;
- `builders` has the builders ``handlecheck`` and ``linkcheck``;
- `run` starts the process, and waits for it;
- `report` makes rows of the verdicts, for messages and for files.
"""
