"""The kinds of findings, in one table.

**Add a kind of finding.** Add a member to `Code` and its row here. The row is everything that is said about the kind as
such: the title of its rule, the manual's text, its severity (another one in running
text, if it has one), its label and what a reader of the report can do, and which front
ends can say it (`said_by`). A kind that is off by default has the severity
`Severity.OFF`, and cannot be said by the plugin for mystmd, where nobody sets a
severity. Options, reports, the page of `handlecheck` and the lists of the manual take
it from there. Then let a producer make it:

- about a reference: a function in `handle_system/checks.py`, and its entry in `CHECKS`
  there;
- about a cited work: `CitedWorks` (`handle_system/describing/work_findings.py`), which
  the room of a page and `handle_cli/checked_texts.py`, for the command and editors, ask;
  about an outcome: `handle_system/verifying/verdicts.py`; about a card:
  `handle_system/citing/checks.py`;
- about a file or a run: where the file is read, or `report_about_run()`
  (`sphinxcontrib_handle/messages.py`) in a build.

A producer names the kind, the subject, a message of one line without the subject, and
what helps; it shows nothing, and decides nothing about severity but a milder one. Then
the tests and the manual, each of which but the changelog fails without it:

- `tests/test_parity/kinds.py`: a case in each syntax, with what has to stand around it,
  and its severity if it is off by default. `test_said_by.py` there compares what every
  front end says of it with `golden/findings.json`, and says how to write that;
  `test_reports.py` compares every report of it, and the exit status with the kind on
  and off;
- `tests/test_core/test_diagnostics.py`: the examples of a check, and texts that look
  alike and are none;
- `example_docs/_ext/warning_examples.py`: text that causes it and text that does not,
  or its name in `WITHOUT_EXAMPLE`;
- `example_docs/core.rst`: its line in the table, if it is about a reference;
- `CHANGELOG.md`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    """Sphinx logs it as information."""
    OFF = "off"

    @classmethod
    def _missing_(cls, value: object) -> "Severity | None":
        # The word of Sphinx's log, which projects may write, too.
        return cls.NOTE if value == "info" else None

    @property
    def fails(self) -> bool:
        """Whether a finding of this severity makes a check fail."""
        return self in {Severity.ERROR, Severity.WARNING}

    @property
    def colour(self) -> str | None:
        """The colour of its name on a terminal; `None` for that of other text."""
        colours = {
            Severity.ERROR: "red",
            Severity.WARNING: "yellow",
            Severity.NOTE: "blue",
        }
        return colours.get(self)


class FrontEnd(StrEnum):
    """The programs that make findings about documents."""

    SPHINX = "sphinx"
    HDL = "hdl"
    MARKDOWN_IT = "markdown-it"
    MYSTMD = "mystmd"
    PYTHON_MARKDOWN = "python-markdown"
    PANDOC = "pandoc"
    LANGUAGE_SERVER = "language-server"
    """It reads a document as the command does, and asks nobody."""


#: What any program says that reads a reference.
EVERYWHERE = frozenset(FrontEnd)
_SPHINX = frozenset({FrontEnd.SPHINX})
_COMMAND = frozenset({FrontEnd.HDL})
#: Who reads files of the author's, and not what another program made of them.
_READERS = _COMMAND | {FrontEnd.LANGUAGE_SERVER}
#: Who asks servers.
_VERIFIERS = _SPHINX | _COMMAND
#: Who reads whole documents as their authors wrote them, in reStructuredText, too.
_DOCUMENT_READERS = _SPHINX | _READERS
#: Who reads files of references, and lets projects set the severity of a kind.
_WITH_SEVERITIES = EVERYWHERE - {FrontEnd.MYSTMD}
#: Who makes cards.
_CARD_MAKERS = EVERYWHERE - _READERS - {FrontEnd.PANDOC}


class Code(StrEnum):
    """The kinds of findings, by subtype of Sphinx's warnings."""

    SYNTAX = "syntax"
    LINK = "link"
    TARGET = "target"
    MARKUP = "markup"
    MALFORMED = "malformed"
    BIDIRECTIONAL = "bidirectional"
    INVISIBLE = "invisible"
    DAMAGED = "damaged"
    WHITE_SPACE = "white-space"
    SLASH_LOOK_ALIKE = "slash-look-alike"
    PREFIX_LOOK_ALIKE = "prefix-look-alike"
    NOT_NFC = "not-nfc"
    TYPOGRAPHIC = "typographic"
    LOOKS_ENCODED = "looks-encoded"
    BROKEN_ADDRESS = "broken-address"
    DOUBLED_SCHEME = "doubled-scheme"
    GLUED = "glued"
    TRAILING_PUNCTUATION = "trailing-punctuation"
    PLACEHOLDER = "placeholder"
    ENTITY = "entity"
    CUT_OFF = "cut-off"
    PROXY_PATH = "proxy-path"
    PREFIX_CHARACTER = "prefix-character"
    RESERVED_CHARACTER = "reserved-character"
    TOO_LONG = "too-long"
    SERVER = "server"
    OTHER_TARGET = "other-target"
    ADDRESS_IN_FIELD = "address-in-field"
    EMPTY = "empty"
    SUFFIX = "suffix"
    NOT_REGISTERED = "not-registered"
    RECORD = "record"
    NO_VALUES = "no-values"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    RETRACTED = "retracted"
    CONCERN = "concern"
    SUPERSEDED = "superseded"
    PUBLISHED = "published"
    CORRECTED = "corrected"
    ALIAS = "alias"
    UNREGISTERED = "unregistered"
    UNDESCRIBED = "undescribed"
    OTHER_WORK = "other-work"
    SAME_DOI = "same-doi"
    CITATION = "citation"
    CITE_NOT_YET_ASSIGNED = "cite-not-yet-assigned"
    CITE_NOT_IN_HISTORY = "cite-not-in-history"
    CITE_WORK_AS_VERSION = "cite-work-as-version"
    CITE_SAME_HANDLE = "cite-same-handle"
    CITE_SAME_LABEL = "cite-same-label"
    CITE_PLACEHOLDER = "cite-placeholder"
    CITE_DATE_ORDER = "cite-date-order"
    CITE_LABEL_ORDER = "cite-label-order"
    CITE_RELEASE = "cite-release"
    CITE_WORK_TARGET = "cite-work-target"
    CITE_VERSION_TARGET = "cite-version-target"
    STALE_VERSION = "stale-version"
    CONFIG = "config"
    MYST = "myst"
    REFERENCES = "references"
    REFERENCES_AGE = "references-age"
    CACHE = "cache"
    NOTHING_VERIFIED = "nothing-verified"
    VERIFICATION_STOPPED = "verification-stopped"
    SKIPPED = "skipped"

    @property
    def sentence(self) -> str:
        """A sentence about it; services show it as the title of a rule."""
        return _ROWS[self].sentence

    @property
    def help(self) -> str:
        """The manual's text about it."""
        row = _ROWS[self]
        return row.help or row.sentence

    @property
    def action(self) -> str:
        """A sentence that says what the reader of a report can do; may be empty."""
        return _ROWS[self].action

    @property
    def is_unverified(self) -> bool:
        """Whether nothing may be concluded about the handle or the file."""
        return _ROWS[self].is_unverified

    @property
    def leaves_unverified(self) -> bool:
        """Whether a run with it has found nothing wrong, and not verified everything."""
        return _ROWS[self].leaves_unverified

    @property
    def names_subject(self) -> bool:
        """Whether its message names its subject, so that nobody puts it before it."""
        return _ROWS[self].names_subject

    @property
    def is_about_file(self) -> bool:
        """Whether it is about a file, and not about what stands in one."""
        return _ROWS[self].is_about_file

    @property
    def said_by(self) -> frozenset[FrontEnd]:
        """The front ends that can make such a finding."""
        return _ROWS[self].said_by

    def severity(self, *, in_text: bool = False) -> Severity:
        """Its severity, unless a project sets another.

        Args:
            in_text: Whether the reference stands in running text, where no markup says
                that it is one.
        """
        row = _ROWS[self]
        return row.in_text if in_text and row.in_text else row.severity


class _Row(NamedTuple):
    """A kind; for the columns see the properties of `Code`.

    Attributes:
        help: The manual's text about it, where that is another one than the sentence.
        in_text: Its severity in running text, where that is another one.
    """

    sentence: str
    help: str = ""
    severity: Severity = Severity.NOTE
    in_text: Severity | None = None
    action: str = ""
    is_unverified: bool = False
    leaves_unverified: bool = False
    names_subject: bool = False
    is_about_file: bool = False
    said_by: frozenset[FrontEnd] = EVERYWHERE


def _about_card(sentence: str) -> _Row:
    """A fault of the work or the versions on a card, of which the sentence says all."""
    return _Row(
        sentence,
        severity=Severity.WARNING,
        names_subject=True,
        said_by=_CARD_MAKERS,
    )


_ROWS: Mapping[Code, _Row] = {
    Code.SYNTAX: _Row(
        sentence="The content of a role is no reference to a handle.",
        help="The content of a role is not a reference to a handle. The message "
        "marks the character; the text is shown without a link.",
        action="Correct the reference. No server can be asked about it.",
        severity=Severity.ERROR,
    ),
    Code.LINK: _Row(
        sentence="The target of a link, or a field, is a malformed reference.",
        help="The target of a link, or a field, is a malformed reference. A URL stays as it is; "
        "any other target becomes plain text.",
        action="Correct the reference. No server can be asked about it.",
        severity=Severity.ERROR,
    ),
    Code.TARGET: _Row(
        sentence="A reference contains the name of a target.",
        help="A reference contains a name with an underscore at its end that is a "
        "target in the same document. The name stays a link to the target. "
        "The message says what to write for the handle.",
        severity=Severity.WARNING,
        said_by=_DOCUMENT_READERS,
    ),
    Code.MARKUP: _Row(
        sentence="Markup or a break keeps a reference from being linked.",
        help="Markup keeps a reference from being linked: a substitution continues "
        "it, as in ``doi:10.5281/zenodo.|id|``, or a role lacks its first "
        "colon. Or a ``<`` follows a DOI that nothing closes on the line: the "
        "DOI may be one half of a SICI. In Markdown, code behind a label, which a "
        "role without its braces looks like, is a note.",
        action="Correct the reference. No server can be asked about it.",
        severity=Severity.WARNING,
    ),
    Code.MALFORMED: _Row(
        sentence="A malformed reference stands in running text.",
        help="Running text was certainly meant for a reference and is malformed "
        "or incomplete, as in ``doi:20.5/3``, with a space in the middle of a DOI, with "
        "the full-width slash of an East "
        "Asian keyboard, with octets that are no text, or with an unknown charset "
        "before ``@``. The message says what to write, if "
        "that is certain. It is a note by default.",
        action="Correct the reference. No server can be asked about it.",
    ),
    Code.BIDIRECTIONAL: _Row(
        sentence="A reference holds a bidirectional control.",
        help="A bidirectional control, which makes the handle look like another one.",
        severity=Severity.WARNING,
    ),
    Code.INVISIBLE: _Row(
        sentence="A reference holds an invisible character.",
        help="A zero-width or other invisible character.",
        severity=Severity.WARNING,
    ),
    Code.DAMAGED: _Row(
        sentence="A reference was decoded wrongly before: it holds U+FFFD.",
        help="U+FFFD, the mark of text that a program decoded wrongly.",
        severity=Severity.WARNING,
    ),
    Code.WHITE_SPACE: _Row(
        sentence="A reference holds white space.",
        help="White space inside. It is legal, and rarely intended.",
    ),
    Code.SLASH_LOOK_ALIKE: _Row(
        sentence="A reference holds what looks like a slash only.",
        help="A character that looks like a slash but is not a slash.",
        severity=Severity.WARNING,
    ),
    Code.PREFIX_LOOK_ALIKE: _Row(
        sentence="A prefix only looks like another one.",
        help="A prefix whose digits or dots are not ASCII, or a DOI whose prefix lost, "
        "gained or changed a character, such as ``110.1000``. Or a number of Zenodo's or "
        "arXiv's that is not written as in their DOIs.",
        severity=Severity.WARNING,
    ),
    Code.NOT_NFC: _Row(
        sentence="A handle is not in Normalization Form C.",
        help="Not in Normalization Form C. The same text in NFC is another handle.",
    ),
    Code.TYPOGRAPHIC: _Row(
        sentence="A reference holds typographic signs.",
        help="Typographic quotes, dashes or dots, as smart typography inserts them.",
        severity=Severity.WARNING,
    ),
    Code.LOOKS_ENCODED: _Row(
        sentence="A bare handle holds what look like percent-escapes.",
        help="Percent-escapes in a bare handle, where they are not decoded.",
        severity=Severity.WARNING,
    ),
    Code.BROKEN_ADDRESS: _Row(
        sentence="A proxy's address or a DOI's prefix is mistyped.",
        help="A mistyped address of a proxy, the address of a library's proxy or of "
        "software that rewrites addresses in mail, a "
        "mistyped prefix of a DOI, or a DOI without a scheme as the target of a "
        "link. The link leads to the only handle that can be meant. Or what stands "
        "behind ``doi.org`` is neither a DOI nor a page, such as a number of arXiv's; "
        "that address stays as it is written.",
        severity=Severity.WARNING,
        in_text=Severity.NOTE,
    ),
    Code.DOUBLED_SCHEME: _Row(
        sentence="A reference stands inside a proxy's URL.",
        help="A scheme or a proxy's address written twice.",
        severity=Severity.WARNING,
        in_text=Severity.NOTE,
    ),
    Code.GLUED: _Row(
        sentence="A reference stands inside another one's suffix.",
        help="A second reference inside the suffix.",
        severity=Severity.WARNING,
    ),
    Code.TRAILING_PUNCTUATION: _Row(
        sentence="A reference ends in punctuation.",
        help="Punctuation or a closing bracket at the end.",
        severity=Severity.WARNING,
        in_text=Severity.NOTE,
    ),
    Code.PLACEHOLDER: _Row(
        sentence="A handle is a placeholder.",
        help="A placeholder, or a prefix for tests. Behind ``doi.org``, words of "
        "templates are placeholders, too, such as ``PENDING``.",
        severity=Severity.WARNING,
    ),
    Code.ENTITY: _Row(
        sentence="A reference holds an entity of HTML.",
        help="An entity of HTML that stands for a character, such as ``&lt;`` for "
        "``<``, where nothing reads it. The link leads to another handle.",
        severity=Severity.WARNING,
    ),
    Code.CUT_OFF: _Row(
        sentence="A reference is cut off.",
        help="A DOI that ends inside a bracket, or before the ``#`` that is the last "
        "character of its SICI.",
        severity=Severity.WARNING,
    ),
    Code.PROXY_PATH: _Row(
        sentence="A prefix is a part of a proxy's address.",
        help="A handle that a proxy cannot resolve, or a part of an address before "
        "a handle.",
        severity=Severity.WARNING,
    ),
    Code.PREFIX_CHARACTER: _Row(
        sentence="A prefix holds an unusual character.",
        help="A prefix with a character other than ASCII letters, digits and ``. - "
        "_``.",
    ),
    Code.RESERVED_CHARACTER: _Row(
        sentence="A URI holds a raw quotation mark or a fragment.",
        help='A raw ``"`` or ``#`` in an ``hdl:`` URI, where it is reserved.',
    ),
    Code.TOO_LONG: _Row(
        sentence="A handle is longer than servers take.",
        help="More than 2,048 octets, the limit of the reference server.",
    ),
    Code.SERVER: _Row(
        sentence="A reference names a server, which links do not reach.",
        help="The reference names a server. Links go to the proxy instead.",
    ),
    Code.OTHER_TARGET: _Row(
        sentence="The text of a link shows another identifier than it leads to.",
        help="The text of a link shows an identifier, and the link leads to another "
        "one.",
        severity=Severity.WARNING,
    ),
    Code.ADDRESS_IN_FIELD: _Row(
        sentence="A field for a DOI holds an address.",
        help="A field for a DOI in BibTeX or ``CITATION.cff`` holds an address or a "
        "scheme. Many programs put ``https://doi.org/`` before it once more, and the "
        "schema of ``CITATION.cff`` refuses it. A build with the extension says "
        "nothing, for its links are right.",
        severity=Severity.WARNING,
        said_by=_READERS,
    ),
    Code.EMPTY: _Row(
        sentence="A field or a link is empty where an identifier belongs.",
        help="A field for a DOI is empty: some programs link to ``https://doi.org/``. "
        "That is a note. Or the target of a link is empty whose text is an "
        "identifier.",
        severity=Severity.WARNING,
    ),
    Code.SUFFIX: _Row(
        sentence="A suffix does not have the format of its prefix.",
        help="A suffix that does not have the format that the project sets for its "
        "prefix.",
        severity=Severity.WARNING,
        said_by=EVERYWHERE - {FrontEnd.MYSTMD, FrontEnd.PANDOC},
    ),
    Code.NOT_REGISTERED: _Row(
        sentence="A document refers to a handle that is not registered.",
        help="A handle is not registered.",
        severity=Severity.WARNING,
        action="Correct the spelling, or register the handle. A DOI can be printed "
        "before it is registered.",
        said_by=_VERIFIERS,
    ),
    Code.RECORD: _Row(
        sentence="A handle is registered, and its record leads nowhere, or has no "
        "value of the index that a reference names.",
        help="A handle is registered, and its record leads nowhere: it has no URL, "
        "one that is not absolute, or an alias of a missing handle. Or it has "
        "no value of the index that a reference names (``300:0.NA/10``).",
        severity=Severity.WARNING,
        action="Tell the registrant: where a record has no address, the proxy shows "
        "readers its values instead. A link to a value that is missing leads where "
        "the handle leads: correct its index.",
        said_by=_VERIFIERS,
    ),
    Code.NO_VALUES: _Row(
        sentence="A handle is registered, and its record has no public value.",
        help="A handle is registered, and its record has no public values.",
        severity=Severity.WARNING,
        action="Ask the registrant: the handle exists, and readers find nothing.",
        said_by=_VERIFIERS,
    ),
    Code.REFUSED: _Row(
        sentence="A handle is not verified: the server refused to answer.",
        help="The server requires authentication. ``handle_verify_ignore`` "
        "excludes a handle.",
        action="Nothing to correct. If the server never answers without a password, "
        "exclude the handle with handle_verify_ignore.",
        is_unverified=True,
        said_by=_VERIFIERS,
    ),
    Code.UNREACHABLE: _Row(
        sentence="A handle is not verified: no response, or an invalid one.",
        help="A handle is not verified: no response, or an invalid one. A later "
        "build asks again.",
        action="Nothing to correct in the documents, and the next run asks again. If the "
        "reason stays, correct the setting that it names, or name another server in "
        "handle_resolver.",
        is_unverified=True,
        said_by=_VERIFIERS,
    ),
    Code.RETRACTED: _Row(
        sentence="A document cites a work that was retracted.",
        help="A work was retracted, withdrawn or removed. Cite another one.",
        severity=Severity.WARNING,
        action="Cite another work; or say in the text that this one was retracted, "
        "and accept the notice with hdl references accept.",
    ),
    Code.CONCERN: _Row(
        sentence="A document cites a work about which a concern was expressed.",
        help="The publisher of a work has expressed a concern about it.",
        action="Read the notice before you rely on the work.",
    ),
    Code.SUPERSEDED: _Row(
        sentence="A document cites a work that has a newer version.",
        help="There is a newer version of a work: the record of its handle names "
        "the handle that replaces it, or a file of references says so.",
        action="Look at the newer version, and cite it if you mean it.",
    ),
    Code.PUBLISHED: _Row(
        sentence="A document cites a preprint that was published since.",
        help="A preprint was published since.",
        action="Cite the article in place of the preprint, if you mean the article.",
    ),
    Code.CORRECTED: _Row(
        sentence="A document cites a work that was corrected.",
        help="A correction of a work was published.",
        action="Read the correction.",
    ),
    Code.ALIAS: _Row(
        sentence="The metadata of an identifier are about another one.",
        help="The metadata of an identifier are about another one: it is an alias "
        "of that.",
        action="Compare the two identifiers, and write the one that you mean.",
    ),
    Code.UNREGISTERED: _Row(
        sentence="A document cites a DOI that did not exist when it was asked for.",
        help="When ``hdl references update`` asked for a DOI, it did not exist. That "
        "is a lead, and no verdict: it may be mistyped, made up, or registered "
        "since. It is a note when a month has passed.",
        severity=Severity.WARNING,
        action="Look for a typing error, and for the work itself; or ask again, with "
        "hdl references update.",
    ),
    Code.UNDESCRIBED: _Row(
        sentence="The file of references does not describe a cited work.",
        help="The file of references does not describe a DOI that a document names: in "
        "a role, a link, running text, a written reference or a field. It is off by "
        "default.",
        action="Add its metadata, with hdl references update.",
        severity=Severity.OFF,
        said_by=_WITH_SEVERITIES,
    ),
    Code.OTHER_WORK: _Row(
        sentence="An identifier names another work than the text beside it.",
        help="An identifier names another work than the text beside it: a file of "
        "references has a work with another title and other people. It is a note "
        "if the people agree. Only an entry of a bibliography, a reference that is "
        "written out, and a label such as ``Kahn (2006)`` are compared.",
        severity=Severity.WARNING,
        action="Correct the identifier or the text. If both are right, write an item "
        "by hand into a file of references.",
    ),
    Code.SAME_DOI: _Row(
        sentence="One identifier stands beside two works.",
        help="One identifier stands beside two works in the same file: two entries, "
        "or two references that are written out, share no people and no title. "
        "Chapters are left out, which often have the identifier of their book.",
        severity=Severity.WARNING,
        action="Look both works up, and correct the identifier that is wrong.",
    ),
    Code.CITATION: _Row(
        sentence="A citation cannot be made.",
        help="A ``cite-version`` card cannot be made: an option is missing or "
        "malformed.",
        severity=Severity.WARNING,
        names_subject=True,
        said_by=_CARD_MAKERS,
    ),
    Code.CITE_NOT_YET_ASSIGNED: _Row(
        sentence="The work, or this version, has no handle yet.",
        names_subject=True,
        said_by=_CARD_MAKERS,
    ),
    Code.CITE_NOT_IN_HISTORY: _about_card(
        "This version is not in the version history."
    ),
    Code.CITE_WORK_AS_VERSION: _about_card("A version is given the work's own handle."),
    Code.CITE_SAME_HANDLE: _about_card("Two versions have one handle."),
    Code.CITE_SAME_LABEL: _about_card("Two versions have one label."),
    Code.CITE_PLACEHOLDER: _about_card(
        "A handle is a placeholder, or has a prefix for tests."
    ),
    Code.CITE_DATE_ORDER: _about_card("A version is older than the one before it."),
    Code.CITE_LABEL_ORDER: _about_card("A version is listed after a later one."),
    Code.CITE_RELEASE: _Row(
        sentence="This version is not that of the release.",
        severity=Severity.WARNING,
        names_subject=True,
        said_by=_SPHINX | {FrontEnd.MARKDOWN_IT},
    ),
    Code.CITE_WORK_TARGET: _Row(
        sentence="The work's handle does not lead to its latest version.",
        severity=Severity.WARNING,
        names_subject=True,
        said_by=_SPHINX,
    ),
    Code.CITE_VERSION_TARGET: _Row(
        sentence="The version's handle does not lead to the version.",
        severity=Severity.WARNING,
        names_subject=True,
        said_by=_SPHINX,
    ),
    Code.STALE_VERSION: _Row(
        sentence="The project names an old version of itself.",
        help="A README or a ``CITATION.cff`` names a version, or the identifier of a "
        "version, that is older than the latest one, in the words of ``CITATION.cff``, "
        "of ``works.toml`` or of ``pyproject.toml``. Name the latest one, or the "
        "identifier of all versions.",
        action="Name the latest version, or the identifier of all versions.",
        severity=Severity.WARNING,
        said_by=_COMMAND,
    ),
    Code.CONFIG: _Row(
        sentence="A setting cannot be used.",
        help="A value in ``conf.py``, or in ``[tool.handle]`` of ``pyproject.toml``, "
        "cannot be used. The default, or the rest of the entries, holds instead. It is a "
        "note if only other front ends obey the setting.",
        severity=Severity.WARNING,
        said_by=_VERIFIERS,
    ),
    Code.MYST: _Row(
        sentence="MyST creates its parsers in an unknown way.",
        help="MyST creates its parsers in a way that this version does not know. "
        "References in the text of Markdown pages are not linked; links of "
        "the author are. Update the extension, or keep the version of MyST "
        "that worked.",
        severity=Severity.WARNING,
        said_by=_SPHINX,
    ),
    Code.REFERENCES: _Row(
        sentence="A file of references, or an item of it, cannot be read.",
        help="A file of references, or an item of it, cannot be read: it is not "
        "JSON, it holds the marks of a merge conflict, or an item has no "
        "identifier. Other items are read; the links stay as they are without "
        "the file. Or a file that is named does not exist, while others do, or no "
        "document matches a pattern of the directive ``handle-references``.",
        severity=Severity.WARNING,
        is_about_file=True,
    ),
    Code.REFERENCES_AGE: _Row(
        sentence="Nobody asked for a long time what became of the works.",
        help="The states in the file of references were last asked for more than "
        "``handle_references_age`` days ago: a work may be retracted since.",
        action="Ask again, with hdl references update --refresh.",
        is_about_file=True,
        said_by=_VERIFIERS,
    ),
    Code.CACHE: _Row(
        sentence="The cache is damaged or cannot be used.",
        help="The cache is damaged and starts again, or it cannot be used, and the "
        "build continues without it. Name another file in ``handle_cache``.",
        severity=Severity.WARNING,
        said_by=_SPHINX,
    ),
    Code.NOTHING_VERIFIED: _Row(
        sentence="No handle was verified.",
        help="There is at least one handle, and no handle has an outcome from a "
        "server, a records file or the cache: there is no network, or no "
        "server. Check ``handle_resolver``, or name a records file there.",
        severity=Severity.WARNING,
        leaves_unverified=True,
        said_by=_VERIFIERS,
    ),
    Code.VERIFICATION_STOPPED: _Row(
        sentence="A verification stopped early.",
        help="The process that verifies could not start or stopped early, so some "
        "handles have no outcome. Build again; the cache keeps the outcomes "
        "that there are.",
        severity=Severity.WARNING,
        leaves_unverified=True,
        said_by=_SPHINX,
    ),
    Code.SKIPPED: _Row(
        sentence="A file was not read.",
        help="A file was not read: it is too large, it is no text, or its kind is "
        "not read.",
        is_unverified=True,
        is_about_file=True,
        said_by=_READERS,
    ),
}
