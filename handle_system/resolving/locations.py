"""The value type ``10320/loc``: several locations for one handle, in XML.

::

    <locations chooseby="locatt,country,weighted">
      <location id="0" href="http://uk.example.com/" country="gb" weight="0" />
      <location id="1" href="http://www1.example.com/" weight="1" />
    </locations>

The text comes from whoever registered the handle, so it is hostile until read.
All that XML can be made to do to its reader begins in a document type: entities
that expand, and entities that fetch.  A locations value has no use for one, so
the declaration itself is refused and nothing is left to harden; `expat` then
reads in constant stack, and the caller has capped the size.  The package
defusedxml would do the same through the same handlers, as one more dependency.

Records that are not well-formed exist (``href=href="…"``); their error says
where, and the record they stand in is none the worse for its other values.
"""

from dataclasses import dataclass

__all__ = ["Location", "Locations", "LocationsError"]

_DEFAULT_CHOICE = ("locatt", "country", "weighted")


class LocationsError(ValueError):
    """The text of a ``10320/loc`` value cannot be read.

    Attributes:
        line: Where, counted from 1.
        column: Where in that line, counted from 1.
        reason: What is wrong there, without a full stop.
    """

    line: int
    column: int
    reason: str

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(line, column, reason)
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """One place where a copy is.

    Attributes:
        href: The address, as registered.
        weight: How often it is chosen, against the others; 0 only on request.
        attributes: Names and values of all others: ``id``, ``country``, ….
    """

    href: str
    weight: float = 1.0
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Locations:
    """What one ``10320/loc`` value lists.

    Attributes:
        choose_by: The methods of choice, in the order they are tried.
        locations: The places, in their order.
    """

    choose_by: tuple[str, ...]
    locations: tuple[Location, ...]

    @property
    def first(self) -> Location | None:
        """The first location that is chosen without asking for it by name."""
        weighted = (each for each in self.locations if each.weight > 0)
        return next(weighted, self.locations[0] if self.locations else None)

    @classmethod
    def parse(cls, text: str) -> "Locations":
        """Read the XML.

        A location without ``href`` is left out, elements of other names are
        passed over, and a weight that is no number counts as 1.

        Raises:
            LocationsError: on text that is not well-formed, holds a document
                type, or is about something else than locations.
        """
        return _Reader().read(text)


class _Reader:
    """The state while `expat` reports what it reads."""

    def __init__(self) -> None:
        # Loaded here: most builds never meet such a value.
        from xml.parsers import expat  # noqa: PLC0415 (see above)

        self._expat_error = expat.ExpatError
        self._message_of = expat.ErrorString
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type
        self._depth = 0
        self._choose_by: tuple[str, ...] = _DEFAULT_CHOICE
        self._locations: list[Location] = []

    def read(self, text: str) -> Locations:
        try:
            self._parser.Parse(text, True)  # noqa: FBT003 (expat takes no keyword)
        except self._expat_error as error:
            raise LocationsError(
                error.lineno, error.offset + 1, self._message_of(error.code) or ""
            ) from error
        except UnicodeEncodeError as error:
            raise LocationsError(1, error.start + 1, "a lone surrogate") from error
        return Locations(choose_by=self._choose_by, locations=tuple(self._locations))

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            if name != "locations":
                raise self._error(f"the element is <{name[:40]}>, not <locations>")
            chosen = attributes.get("chooseby", attributes.get("choose_by"))
            if chosen is not None:
                methods = (method.strip() for method in chosen.split(","))
                self._choose_by = tuple(method for method in methods if method)
        elif self._depth == 2 and name == "location" and "href" in attributes:
            href = attributes.pop("href")
            weight = _weight(attributes.pop("weight", "1"))
            self._locations.append(
                Location(href=href, weight=weight, attributes=tuple(attributes.items()))
            )

    def _end(self, _name: str) -> None:
        self._depth -= 1

    def _refuse_document_type(self, *_declaration: object) -> None:
        raise self._error("a document type has no place in a list of locations")

    def _error(self, reason: str) -> LocationsError:
        return LocationsError(
            self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1, reason
        )


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        return 1.0
    return weight if 0.0 <= weight <= 1e9 else 1.0
