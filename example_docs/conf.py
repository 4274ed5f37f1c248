"""The manual, which is also the example and a test.

It is built with warnings as errors, offline, and with verification on; what
each page says about a reference is done to the references of that page.
"""

import sys
from pathlib import Path

import handle_system

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "sphinxcontrib-handle"
author = "The sphinxcontrib-handle developers"
project_copyright = author
release = handle_system.__version__
version = release

extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib_handle",
    # Only for this manual: live examples, tables made from the code, and tabs in an EPUB.
    "live_examples",
    "tables_from_code",
    "command_help",
    "tabs_in_books",
]
exclude_patterns = ["_build", "_ext", "_templates", "nested"]
nitpicky = True

# Every reference is verified, against records that are examples: no server is asked.
handle_verify = True
handle_resolver = "records.json"
handle_cache = False

# The work that this manual documents; the card on the front page shows how to cite it.
handle_work = "../CITATION.cff"

# The list of references on one page; its works are invented, or described by hand. The
# file accepts the notice of the retracted work that the page cites.
handle_references = "references.json"

# The suffixes of this prefix have a format: see "Formats of suffixes".
handle_suffix_policy = {"102.100.272": "pilin"}

myst_enable_extensions = ["colon_fence", "deflist"]

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "sphinxcontrib-handle"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_js_files = ["manual.js"]
templates_path = ["_templates"]
html_copy_source = False
# A picture that a dark page hides would leave its link behind.
html_scaled_image_link = False
html_show_copyright = False
# The same tree gives the same pages: no date in them.
html_last_updated_fmt = None

# The manual has characters that pdfLaTeX cannot set; Japanese needs a font of its own.
latex_engine = "xelatex"
latex_use_xindy = False
latex_elements = {
    "extraclassoptions": "openany,oneside",
    # Else the table of contents has the caption of the first toctree for its title.
    "tableofcontents": r"\renewcommand{\contentsname}{Contents}\sphinxtableofcontents"
    r"\clearpage\markboth{}{}",
    "preamble": r"""
% Titles of sections have numbers of their own where steps follow each other.
\setcounter{secnumdepth}{0}
\IfFileExists{xeCJK.sty}{\IfFontExistsTF{Noto Serif CJK JP}{
  \usepackage{xeCJK}
  \setCJKmainfont{Noto Serif CJK JP}
  \setCJKmonofont{Noto Sans CJK JP}
  % Dashes, quotation marks and dots are those of English.
  \xeCJKDeclareCharClass{Default}{"2010 -> "2027}
}{}}{}
% The tables of forms have long identifiers in four columns.
\newcommand{\sphinxhyphenwithbreak}[1]{\discretionary{-}{}{-}}
\newcommand{\beginreadings}{\begingroup\footnotesize
  \renewcommand*{\sphinxhyphenininlineliteral}{\sphinxhyphenwithbreak}%
  \renewcommand*{\sphinxbreaksafteractivelist}{\do\.\do\,\do\;\do\?\do\!\do\/\do\:}}
""",
}

# The manual page of the command, which packages for a system install.
man_pages = [
    ("command", "hdl", "read, check, resolve and make handles and DOIs", [], 1)
]
