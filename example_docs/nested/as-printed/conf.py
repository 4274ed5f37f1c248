"""The policy's handles as they were printed in 2007: one in both places."""

project = "As printed"
extensions = ["sphinxcontrib_handle"]
html_theme = "basic"
