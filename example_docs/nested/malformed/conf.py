"""A role whose content is no reference, and a link that is meant for one."""

project = "Malformed"
extensions = ["sphinxcontrib_handle"]
html_theme = "basic"
