"""What went wrong at bottom, when one error is wrapped in several others."""

from handle_system.errors import showable

__all__ = ["innermost"]

# Texts of errors may quote what a server sent.
_SHOWN = 200
# Errors that hold each other are followed no further.
_DEEPEST = 20


def innermost(error: BaseException) -> str:
    """What the innermost error says, without the objects it says it about.

    >>> innermost(ValueError("pool", OSError(111, "Connection refused")))
    'Connection refused'
    """
    for _ in range(_DEEPEST):
        held = (each for each in error.args if isinstance(each, Exception))
        inner = next(held, None) or error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    if isinstance(error, OSError) and error.strerror:
        return showable(error.strerror[:_SHOWN])
    return showable(str(error)[:_SHOWN]) or type(error).__name__
