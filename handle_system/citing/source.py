"""Reading a work from a file: TOML or ``CITATION.cff``, told by its name."""

from dataclasses import dataclass
from pathlib import Path

from handle_system.citing.cff import read_cff
from handle_system.citing.toml import choose_work, read_toml
from handle_system.citing.values import CitationError, Reading
from handle_system.citing.work import Work

__all__ = ["SOURCE_OPTION", "SourceName", "read_source"]

#: The directive's option that names a file; front ends find the file.
SOURCE_OPTION = "source"


@dataclass(frozen=True, slots=True)
class SourceName:
    """A file, and the work that is meant in it: ``works.toml#suffix-format``.

    Attributes:
        path: The file, as it is written.
        id: The work's ``id``; `None` for a file's only work.
        is_configured: Whether the site names it, for all of its pages.
    """

    path: str
    id: str | None = None
    is_configured: bool = False

    @classmethod
    def parse(cls, text: str) -> "SourceName":
        """Read ``path`` or ``path#id``.

        >>> SourceName.parse("works.toml#suffix-format")
        SourceName(path='works.toml', id='suffix-format', is_configured=False)
        """
        path, _, identity = text.strip().partition("#")
        return cls(path.strip(), identity.strip() or None)


def read_source(
    path: Path, identity: str | None = None, *, reading: Reading | None = None
) -> Work:
    """The work that a file describes.

    Args:
        path: A file ending with ``.toml``, or with ``.cff``, ``.yml``, ``.yaml``.
        identity: Which work of it.
        reading: How handles are read.

    Raises:
        CitationError: when the file cannot be read, or does not say what it
            should; its place begins with the file's name.
    """
    try:
        return _read(path, identity, reading or Reading())
    except CitationError as error:
        raise CitationError(
            error.reason, where=f"{path.name}: {error.where}", line=error.line
        ) from error


def _read(path: Path, identity: str | None, reading: Reading) -> Work:
    kind = path.suffix.casefold()
    if kind not in {".toml", ".cff", ".yml", ".yaml"}:
        raise CitationError(
            "a file of works ends with .toml, or with .cff", where="the file"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = f"it cannot be read: {error.strerror or error}"
        raise CitationError(reason, where="the file") from error
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8, from octet {error.start} on"
        raise CitationError(reason, where="the file") from error
    if kind == ".toml":
        return choose_work(read_toml(text, reading), identity)
    if identity is not None:
        raise CitationError("a CITATION.cff describes one work", where=f"#{identity}")
    return read_cff(text, reading)
