"""References in many blocks at once."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handle_system.proxies import Proxies
from handle_system.scan_blocks import find_in_blocks
from handle_system.scanning import Found, find_references, may_hold_reference
from tests.strategies import any_text, nearly_common, reference_like, sentences

_BLOCKS = st.lists(
    st.one_of(nearly_common, reference_like, any_text, sentences), max_size=6
)
_INSTITUTE = Proxies(
    {"": "https://a.example/", "20.1000": "http://b.example:8080/hdl"}, also=[]
)


@given(_BLOCKS, st.sampled_from([Proxies(), _INSTITUTE]))
@example(
    ["doi", ":10.1/x", "doi.org", "/10.1/x", "https://DOI.ORG:443/1", ""], Proxies()
)
@example(["https://example.org/a,doi:10.1/x", "a:doi:10.1/x"], Proxies())
@example(["HDL:HTTP://", "doi.org/10.1/a"], Proxies())
@example(["https:// hdl:1/a", "doi:10.1/x https://\xa0doi:10.1/y"], Proxies())
@example(["x (", "doi:10.1/x)", "(doi:10.1/x) [y](doi:10.1/x)"], Proxies())
@example(["doi:10.1/x;doi:10.1/y doi.org/10.1/z", "10.1/x"], Proxies())
def test_many_blocks_hold_what_each_holds(texts: list[str], proxies: Proxies) -> None:
    """What is told of many blocks at once is what each of them holds."""
    told = dict(find_in_blocks(texts, Found, proxies=proxies))
    assert list(told) == sorted(told)
    for index, text in enumerate(texts):
        found = told.get(index, [])
        if found is None:
            assert may_hold_reference(text, proxies=proxies)
        else:
            expected = list(find_references(text, proxies=proxies))
            assert found == expected
            assert [each.reference.source for each in found] == [
                each.reference.source for each in expected
            ]
            assert [each.reference.form for each in found] == [
                each.reference.form for each in expected
            ]


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("See hdl:20.1000/100, and http://dx.doi.org/10.1000/182.", True),
        ("(doi:10.1002/(SICI)1097-4679(199902)55:2<241::AID-JCLP12>3.0.CO;2-V)", True),
        ("doi:10.1000/182 *or* hdl:20.1000/100", True),
        # These are for the rules to tell.
        ("*doi:10.1000/182*", False),
        ("doi.org/10.1000/182", False),
        ("[x](doi:10.1000/182)", False),
        ("[x](//doi.org/10.1000/182)", False),
        ("DOI: see below", False),
        ("https://doi.org:443/10.1000/182", False),
        ("hdl:20.1000/100?x=y", False),
        ("https://example.org/?a=doi:10.1000/182", False),
    ],
)
def test_which_are_told(text: str, is_told: bool) -> None:  # noqa: FBT001 - a column of the table
    """The common ones are told at once; whatever else there is, is left to the rules."""
    ((index, found),) = find_in_blocks(
        ["no reference: none", text, "https://a.b/"], Found
    )
    assert index == 1
    assert (found is not None) == is_told


def test_a_place_of_a_link_is_no_block_without() -> None:
    """Who looks for links' targets is told of each that may be one."""
    texts = [
        "[a](hdl:1/x)",
        "[a](info:doi/10.1/x)",
        "[a](urn:hdl:1/x)",
        "<doi:10.1/<>>",
    ]
    texts += ["[a](//doi.org/10.1)", "[a](HTTPS://hdl.handle.net:443/1/x)"]
    assert [index for index, _ in find_in_blocks(texts, Found)] == list(
        range(len(texts))
    )
