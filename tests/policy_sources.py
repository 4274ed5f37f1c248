"""One work, a policy of the PILIN Project, in each of the four sources."""

OPTIONS = {
    "title": "Handle Suffix Format Policy",
    "work": "102.100.272/Y35XYS0QH",
    "version": "1.0",
    "date": "2007-06-26",
    "handle": "102.100.272/0N8J991QH",
    "creators": "PILIN Project",
    "kind": "software",
    "license": "MIT",
}
TOML = """\
[[work]]
id = "policy"
title = "Handle Suffix Format Policy"
creators = ["PILIN Project"]
handle = "hdl:102.100.272/Y35XYS0QH"
kind = "software"
license = "MIT"
[[work.version]]
label = "1.0"
date = 2007-06-26
handle = "env:POLICY_HANDLE"
"""
CFF = """\
cff-version: 1.2.0
title: Handle Suffix Format Policy
authors:
  - name: PILIN Project
version: 1.0
date-released: 2007-06-26
license: MIT
identifiers:
  - type: other
    value: hdl:102.100.272/Y35XYS0QH
    description: All versions
  - type: url
    value: https://hdl.handle.net/102.100.272/0N8J991QH
    description: Version 1.0
"""
ENVIRONMENT = {"POLICY_HANDLE": "102.100.272/0N8J991QH"}
