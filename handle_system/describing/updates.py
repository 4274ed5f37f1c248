"""Updates: the later statements about a work, and the one that counts.

Three sources state them.  Crossref lists ``updated-by`` on the work (its own notices and
those of Retraction Watch) and ``is-preprint-of`` on a preprint.  DataCite relates a
version to the next one.  And a publisher may write "RETRACTED:" before the title.

Some statements do not mean what they seem to:

- A quarter of all retractions have a notice with the article's own DOI (IEEE, Elsevier,
  Springer, Wiley, ACM), and they hold.  A new version or a correction of that kind says
  nothing: an uncorrected proof became the article (PLOS).
- Statements of one record of Retraction Watch (``record-id``) with several types are an
  old state of the record and a new one.  The retraction is the old one.
- figshare's ``….v1`` is a "previous version" of the address of all versions.
- A data set is a "previous version" of the paper that uses it (GBIF).
- ``has-preprint`` says that there was a preprint, and ``is-version-of`` goes both ways.
- A preprint is a version of its copy at a social network, which is no publication.
- "Retraction: …" is the title of a notice, and so is "Retracted: …" where the item
  itself retracts another work.
- Of an article and its notice each may say that it retracts the other.  Then the notice
  is the one whose title says so.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from handle_system.describing.items import (
    JsonObject,
    custom_of,
    handle_in,
    known_date,
    members,
)
from handle_system.describing.rich_text import plain_line
from handle_system.describing.states import State
from handle_system.handle import Handle
from handle_system.text import compiled

# A state, the identifier of the notice or of the newer work, and a date.
_Statement: TypeAlias = tuple[str, str, str]

_SERIOUSNESS = {state: rank for rank, state in enumerate(State)}

# A statement of an update that takes an earlier retraction back.
_REINSTATED = "reinstated"
# The types of Crossref's updates.
_CROSSREF_STATES: Mapping[str, str] = {
    "retraction": State.RETRACTED,
    "withdrawal": State.RETRACTED,
    "removal": State.RETRACTED,
    "partial_retraction": State.RETRACTED,
    "expression_of_concern": State.CONCERN,
    "correction": State.CORRECTED,
    "corrigendum": State.CORRECTED,
    "erratum": State.CORRECTED,
    "addendum": State.CORRECTED,
    "clarification": State.CORRECTED,
    # Publishers write these, too.
    "corrected_article": State.CORRECTED,
    "err": State.CORRECTED,
    "new_version": State.SUPERSEDED,
    "new_edition": State.SUPERSEDED,
    "reinstatement": _REINSTATED,
}
_CROSSREF_RELATIONS: Mapping[str, State] = {
    "is-preprint-of": State.PUBLISHED,
    "is-replaced-by": State.SUPERSEDED,
}
# What a work may say of itself, without a notice that has an identifier of its own.
_STATES_WITHOUT_NOTICE = {State.RETRACTED, State.CONCERN, _REINSTATED}
_ARXIV = "10.48550"
# A preprint that is there, too, is not published: ResearchGate, Zenodo, figshare,
# arXiv, OSF and its preprint servers, SSRN, Preprints.org, Research Square, Authorea,
# TechRxiv, ChemRxiv.
_REPOSITORIES = frozenset(
    (
        "10.13140",
        "10.5281",
        "10.6084",
        _ARXIV,
        "10.17605",
        "10.31219",
        "10.31234",
        "10.31235",
        "10.2139",
        "10.20944",
        "10.21203",
        "10.22541",
        "10.36227",
        "10.26434",
    )
)
# "Removed: a memoir" and "Withdrawn from the world" are titles.  So a plain word marks a
# work only if no title has it in that form: in capitals, in brackets, or as the kind of a
# document.  No pattern matches "Retraction: On urns", the title of a notice.
_KIND = "(?:[Aa]rticle|[Cc]hapter|[Pp]aper|ARTICLE|CHAPTER|PAPER)"
_MARK = f"(?:RETRACTED|WITHDRAWN|REMOVED)(?: {_KIND})?"
_RETRACTED_BEGINNING = (
    rf"{_MARK}(?: ?[:.]| ?[–—-] )"
    rf"|[\[(](?:{_MARK}|Retracted(?: {_KIND})?|Withdrawn(?: {_KIND})?)[\])]"
    rf"|Retracted(?: {_KIND})?(?: ?:| [–—-] )"
    rf"|Withdrawn {_KIND} ?:"
    rf"|{_KIND} (?:[Rr]etracted|[Ww]ithdrawn|RETRACTED|WITHDRAWN) ?:"
    r"|(?:Notice of Retraction|NOTICE OF RETRACTION) ?:"
)
_RETRACTED_END = (
    rf"[\[(](?:Retracted|RETRACTED) {_KIND}(?:\. See [^()\[\]]{{1,100}})?[\])]\Z"
)
# "Retraction Note to: On urns", "Statement of Removal", "Editor's Note on …"; but not
# "Removal of urns".
_NOTICE_TITLE = (
    r"(?i)\W*(?:(?:statement|notice) of |editorial )?(?:retraction|withdrawal|removal)"
    r"(?: ?[:.]|\Z| (?:note|notice|statement|to)\b)"
    r"|editor\S{0,3} note\b"
)
# A title is as long as a line, so this is the place of a mark at its end.
_LONGEST_MARK = 130
_MONTH = "(?:0[1-9]|1[0-2])"
_DAY = "(?:0[1-9]|[12][0-9]|3[01])"
# A year, with a month, with a day.
_DATE = re.compile(f"[0-9]{{4}}(?![0-9])(?:-{_MONTH}(?:-{_DAY})?(?![0-9]))?")
# So many statements about one work are more than anybody reads.
_MOST_UPDATES = 40


@dataclass(frozen=True, slots=True)
class Update:
    """A later statement about a work.

    Attributes:
        state: The state that it states.
        by: The identifier of the notice, or of the newer work; empty if unknown.
        date: Its date as ISO 8601 writes it, as far as known: ``2010-02-06``.
    """

    state: State
    by: str = ""
    date: str = ""

    @property
    def handle(self) -> Handle | None:
        """The handle of the notice, or of the newer work."""
        return handle_in(self.by)

    @property
    def statement(self) -> str:
        """The statement in words, after the identifier of the work."""
        if not self.date:
            return self.state.stated_at("")
        preposition = "on" if len(self.date) == len("2010-02-06") else "in"
        return self.state.stated_at(f"{preposition} {self.date}")


def read_updates(
    answer: Mapping[str, Any], handles: Collection[Handle]
) -> list[JsonObject]:
    """The updates in an answer of Crossref or DataCite, as the file stores them.

    A notice with the identifier of the work itself is left out; its statement has no
    ``by`` then.

    Args:
        answer: An answer in CSL-JSON, a message of Crossref, or DataCite's attributes.
        handles: The identifiers of the work itself.
    """
    statements = [
        *_crossref_updates(answer),
        *_crossref_relations(answer),
        *_datacite_updates(answer, handles),
        *_datacite_withdrawals(answer),
    ]
    is_itself_a_notice = is_notice(answer, handles)
    first: dict[tuple[str, str], JsonObject] = {}
    for state, notice, date in sorted(
        statements, key=lambda statement: (statement[2] or "9", *statement)
    ):
        is_own = not notice or handle_in(notice) in handles
        if is_own and state not in _STATES_WITHOUT_NOTICE:
            continue
        is_about_notice = is_itself_a_notice and state == State.RETRACTED
        if is_about_notice and (is_own or _has_title_of_notice(answer)):
            continue
        by = "" if is_own else notice
        update = {"state": state, "by": by, "date": date}
        known = {name: text for name, text in update.items() if text}
        first.setdefault((state, by), known)
    return list(first.values())[:_MOST_UPDATES]


def is_notice(answer: Mapping[str, Any], handles: Collection[Handle] = ()) -> bool:
    """Whether a work is itself the notice that retracts another one.

    Args:
        answer: An answer in CSL-JSON, or a message of Crossref.
        handles: The identifiers of the work itself, which may say that it retracts
            itself.
    """
    for update in members(answer, "update-to"):
        # What has no type may be a retraction.
        kind = _type_of(update) or "retraction"
        retracted = handle_in(_doi(update.get("DOI")))
        is_about_another = retracted is not None and retracted not in handles
        if is_about_another and _CROSSREF_STATES.get(kind) == State.RETRACTED:
            return True
    return False


def update_objects(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The updates in a stored item."""
    return list(members(custom_of(item), "updates"))


def update_of_object(stored: Mapping[str, Any]) -> Update | None:
    """An update as a file stores it; `None` for a state that is not known."""
    name = _state_of(stored)
    if name not in _SERIOUSNESS:
        return None
    written = stored.get("by")
    by = handle_in(written)
    date = plain_line(stored.get("date"))
    return Update(
        state=State(name),
        by=str(by or plain_line(written)),
        date=date if _DATE.fullmatch(date) else "",
    )


def unknown_state(item: Mapping[str, Any]) -> str | None:
    """The first state in an item that is none; `None` if each is one."""
    for stored in update_objects(item):
        name = _state_of(stored)
        if name not in _SERIOUSNESS and name != _REINSTATED:
            return plain_line(stored.get("state"))
    return None


def _state_of(stored: Mapping[str, Any]) -> str:
    """The state of a stored update, which a person may have written in another way."""
    written = plain_line(stored.get("state")).lower().replace("-", "_")
    # People also write the type of Crossref's updates.
    return _CROSSREF_STATES.get(written, written)


def most_serious(updates: Iterable[Update]) -> Update | None:
    """The most serious update; `None` if there is none."""
    return min(updates, key=lambda update: _SERIOUSNESS[update.state], default=None)


def updates_of(
    item: Mapping[str, Any], handle: Handle, stored_updates: Iterable[Mapping[str, Any]]
) -> list[Update]:
    """The updates of a stored item, as readers see them.

    A reinstatement takes back the retractions before it, and all if no reinstatement has
    a date.

    Args:
        item: The stored item.
        handle: Its identifier.
        stored_updates: What is stored of its updates, there and elsewhere.
    """
    custom = custom_of(item)
    standing: list[Update] = []
    reinstated: list[str] = []
    for stored in stored_updates:
        update = _standing(stored, handle)
        if update is not None:
            standing.append(update)
        if _state_of(stored) == _REINSTATED:
            reinstated.append(plain_line(stored.get("date")))
    if reinstated:
        last_reinstated = max(reinstated)
        standing = [
            update
            for update in standing
            if update.state is not State.RETRACTED or "" < last_reinstated < update.date
        ]
    elif (
        _is_marked_retracted(item.get("title"))
        and not custom.get("notice")
        and not any(update.state is State.RETRACTED for update in standing)
    ):
        standing.append(Update(State.RETRACTED))
    if "described" in custom:
        described = handle_in(custom["described"])
        if described is not None and described != handle:
            standing.append(Update(State.ALIAS, by=str(described)))
    return standing


def _has_title_of_notice(answer: Mapping[str, Any]) -> bool:
    """Whether the title of an answer is that of a notice."""
    title = plain_line(answer.get("title"), is_escaped=True)
    return bool(compiled(_NOTICE_TITLE).match(title))


def _standing(stored: Mapping[str, Any], handle: Handle) -> Update | None:
    """A stored update; the identifier of the work itself is no notice of its own."""
    update = update_of_object(stored)
    if update is None or update.handle != handle:
        return update
    return replace(update, by="") if update.state in _STATES_WITHOUT_NOTICE else None


def _is_marked_retracted(title: object) -> bool:
    """Whether the publisher wrote "RETRACTED:" or the like into the title."""
    if not isinstance(title, str):
        return False
    lowered = title.lower()
    # Hardly any title has such a word, and each is looked for much faster than by a pattern.
    if (
        "retract" not in lowered
        and "withdrawn" not in lowered
        and "removed" not in lowered
    ):
        return False
    line = plain_line(title)
    end = line[-_LONGEST_MARK:]
    return bool(
        compiled(_RETRACTED_BEGINNING).match(line)
        or compiled(_RETRACTED_END).search(end)
    )


def _crossref_updates(answer: Mapping[str, Any]) -> list[_Statement]:
    """The statement of each member of ``updated-by``, the stale ones left out."""
    updates = [
        update
        for update in members(answer, "updated-by")
        if _type_of(update) in _CROSSREF_STATES
    ]
    milder_records = {
        _record_of(update)
        for update in updates
        if _CROSSREF_STATES[_type_of(update)] != State.RETRACTED
    }
    statements: list[_Statement] = []
    for update in updates:
        state = _CROSSREF_STATES[_type_of(update)]
        record = _record_of(update)
        is_stale = state == State.RETRACTED and record and record in milder_records
        if not is_stale:
            notice = _doi(update.get("DOI"))
            statements.append((state, notice, _date(update.get("updated"))))
    return statements


def _type_of(update: Mapping[str, Any]) -> str:
    """The type of an update of Crossref, which publishers spell in several ways."""
    return plain_line(update.get("type")).lower().replace("-", "_")


def _record_of(update: Mapping[str, Any]) -> str:
    """The record of Retraction Watch that an update is made of; empty if of none."""
    return plain_line(update.get("record-id"))


def _crossref_relations(answer: Mapping[str, Any]) -> list[_Statement]:
    """The article that a preprint became, and the work that replaces one."""
    relation = answer.get("relation")
    related = relation if isinstance(relation, dict) else {}
    statements: list[_Statement] = []
    for name, state in _CROSSREF_RELATIONS.items():
        for work in members(related, name):
            doi = _doi(work.get("id"))
            if doi:
                statements.append((state, doi, ""))
    return statements


def _datacite_withdrawals(answer: Mapping[str, Any]) -> list[_Statement]:
    """The dates on which DataCite says that a work was withdrawn."""
    return [
        (State.RETRACTED, "", _written_date(date.get("date")))
        for date in members(answer, "dates")
        if date.get("dateType") == "Withdrawn"
    ]


def _datacite_updates(
    answer: Mapping[str, Any], handles: Collection[Handle]
) -> list[_Statement]:
    """The newer version or the article, by DataCite's relations."""
    types = answer.get("types")
    general_type = types.get("resourceTypeGeneral") if isinstance(types, dict) else ""
    is_preprint = general_type == "Preprint" or any(
        handle.prefix == _ARXIV for handle in handles
    )
    statements: list[_Statement] = []
    for related in members(answer, "relatedIdentifiers"):
        relation = related.get("relationType")
        other = handle_in(_doi(related.get("relatedIdentifier")))
        if other is None:
            continue
        is_same_prefix = any(other.prefix == handle.prefix for handle in handles)
        is_next_version = is_same_prefix and not _is_all_versions(other, handles)
        is_elsewhere = not is_same_prefix and other.prefix not in _REPOSITORIES
        match relation:
            case "IsObsoletedBy":
                statements.append((State.SUPERSEDED, str(other), ""))
            case "IsPreviousVersionOf" if is_next_version:
                statements.append((State.SUPERSEDED, str(other), ""))
            case "IsVersionOf" if is_preprint and is_elsewhere:
                statements.append((State.PUBLISHED, str(other), ""))
    return statements


def _is_all_versions(other: Handle, handles: Collection[Handle]) -> bool:
    """Whether an identifier is figshare's address of all versions of a work."""
    beginning = f"{other.comparison_key}.v"
    return any(handle.comparison_key.startswith(beginning) for handle in handles)


def _doi(value: object) -> str:
    """A DOI in lower case, or nothing."""
    handle = handle_in(value)
    return handle.comparison_key if handle is not None and handle.is_doi else ""


def _date(value: object) -> str:
    """A date of CSL-JSON as ISO 8601 writes it, as far as there is such a day."""
    date = known_date(value)
    if date is not None:
        return date.isoformat()
    # Some updates have a time only.
    return _written_date(value.get("date-time")) if isinstance(value, dict) else ""


def _written_date(value: object) -> str:
    """The date at the beginning of a text in the form of ISO 8601."""
    date = _DATE.match(plain_line(value))
    return date[0] if date else ""
