"""Where a role would not be read, none is written."""

import pytest

from handle_cli.rewriting import Aim, rewritten
from handle_cli.sources import Syntax
from handle_system import DEFAULT_PROXIES

RST = """\
.. image:: x.png
   :target: doi:10.1/no
   :alt: A picture, see
      doi:10.1/no there

.. figure:: https://dx.doi.org/10.1/no

   A caption, see doi:10.1/yes.

   :Field: doi:10.1/yes

.. |badge| image:: x.png
   :target: doi:10.1/no
.. |words| replace:: see doi:10.1/yes
.. note:: see doi:10.1/yes
   and doi:10.1/yes
.. topic:: About doi:10.1/yes
   :class: doi:10.1/no

   doi:10.1/yes
.. glossary::
   term
      Read doi:10.1/yes

.. toctree::
   :maxdepth: 1

   page
   Title <doi:10.1/no>
.. index:: doi:10.1/no

:Identifier: doi:10.1/yes
*see doi:10.1/no there* and **bold doi:10.1/no** or 2 * 3 doi:10.1/yes * 4,
*doi:10.1/no*, <doi:10.1/yes>
.. _label: doi:10.1/no
.. [1] See doi:10.1/yes
"""

MARKDOWN = """\
# About doi:10.1/yes

```{figure} x.png
:target: doi:10.1/no
:alt: see doi:10.1/no

:Caption: doi:10.1/yes
```
> ```{image} https://dx.doi.org/10.1/no
> ---
> target: doi:10.1/no
> ---
> ```

:::{note} doi:10.1/yes
---
class: doi:10.1/no
---
doi:10.1/yes
:::

```{toctree}
Title <doi:10.1/no>
```
```{toctree}
:maxdepth: 1

Title <doi:10.1/no>
```

- *doi:10.1/yes* and <doi:10.1/no>, < doi:10.1/yes >
---
doi:10.1/yes
---
"""


@pytest.mark.parametrize(
    ("syntax", "page", "role"),
    [
        (Syntax.RST, RST, ":doi:`10.1/{}`"),
        (Syntax.MARKDOWN, MARKDOWN, "{{doi}}`10.1/{}`"),
    ],
)
def test_roles_are_written_where_markup_is_read(
    syntax: Syntax, page: str, role: str
) -> None:
    """Not in options, targets, lists of pages, emphasis and angle brackets."""
    wanted = (
        page.replace("doi:10.1/yes", role.format("yes"))
        .replace("https://dx.doi.org/10.1/no", "https://doi.org/10.1/no")
        .replace("doi:10.1/no", "https://doi.org/10.1/no")
    )

    assert rewritten(syntax, page, DEFAULT_PROXIES, Aim.ROLE) == wanted
