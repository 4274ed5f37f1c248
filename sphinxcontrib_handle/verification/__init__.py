"""Verification: a child process beside the build, two builders, reports.

- `run` has the builders ``handlecheck`` and ``linkcheck``, starts the process, and
  waits for it;
- `report` makes rows of the verdicts, for messages and for files.
"""
