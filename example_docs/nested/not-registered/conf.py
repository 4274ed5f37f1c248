"""Two references that the records do not hold."""

project = "Not registered"
extensions = ["sphinxcontrib_handle"]
html_theme = "basic"
handle_verify = True
handle_resolver = "records.json"
handle_cache = False
