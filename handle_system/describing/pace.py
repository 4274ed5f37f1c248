"""How long the agencies take for many DOIs, at the pace that they publish."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from handle_system.describing.asking_order import MOST_IN_LIST, is_listable
from handle_system.describing.services import (
    AGENCIES,
    CROSSREF,
    Agency,
    usual_agency,
)
from handle_system.describing.zenodo import ZENODO_PREFIX
from handle_system.handle import Handle

__all__ = ["Pace", "dois_a_second", "slowest_pace"]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long an agency takes for its part of many DOIs.

    Attributes:
        agency: Its name.
        requests: How many requests it gets.
        rate: How many it gets a second.
        size: How many DOIs a request is about, at most.
    """

    agency: str
    requests: int
    rate: float
    size: int = 1

    @property
    def seconds(self) -> float:
        """How long that takes."""
        return self.requests / self.rate


def slowest_pace(
    handles: Iterable[Handle],
    agency_of_prefix: Mapping[str, str],
    *,
    is_polite: bool,
    in_lists: bool,
) -> Pace:
    """The pace of the agency that takes longest; all are asked side by side.

    Args:
        handles: The DOIs.
        agency_of_prefix: The name of the agency of each prefix, as far as known. Others
            are taken for DOIs of Crossref, unless a large repository has the prefix.
        is_polite: Whether the agencies get an address of e-mail.
        in_lists: Whether they are asked for many DOIs at once, where they allow it.
    """
    works: Counter[tuple[str, bool]] = Counter()
    for handle in handles:
        name = agency_of_prefix.get(handle.prefix, usual_agency(handle).name)
        agency = _agency(name)
        is_in_list = in_lists and bool(agency.list_query) and is_listable(handle)
        # A version at Zenodo costs a request for its concept DOI.
        works[name, is_in_list] += 2 if handle.prefix == ZENODO_PREFIX else 1
    paces = [
        _pace(name, count, is_polite=is_polite, is_in_list=is_in_list)
        for (name, is_in_list), count in works.items()
    ]
    return max(paces, key=lambda pace: pace.seconds)


def _pace(name: str, count: int, *, is_polite: bool, is_in_list: bool) -> Pace:
    """The pace of an agency that is asked for so many works."""
    agency = _agency(name)
    if is_in_list:
        requests = -(-count // MOST_IN_LIST)
        limit = agency.limit_of_lists(count, is_polite=is_polite)
        return Pace(name, requests, limit.rate or 1.0, MOST_IN_LIST)
    limit = agency.limit_for(count, is_polite=is_polite)
    return Pace(name, count, limit.rate or 1.0)


def _agency(name: str) -> Agency:
    """The agency of a name; one that is not known is taken for the largest."""
    by_name = {agency.name: agency for agency in AGENCIES.values()}
    return by_name.get(name, CROSSREF)


def dois_a_second(*, is_polite: bool) -> float:
    """How many DOIs a second are asked for at the largest agency, in lists."""
    limit = CROSSREF.limit_of_lists(MOST_IN_LIST, is_polite=is_polite)
    return MOST_IN_LIST * (limit.rate or 1.0)
