"""Everything in a citation that can be doubted without asking anybody."""

project = "Doubtful"
extensions = ["sphinxcontrib_handle"]
html_theme = "basic"
release = "3.0"
