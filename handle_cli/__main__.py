"""``python -m handle_cli``, the same as ``hdl``."""

import sys
from io import TextIOWrapper

# Packages that only "hdl lsp" needs.
_OF_EDITORS = frozenset({"lsprotocol", "pygls"})


def main() -> None:
    """Run the command with the arguments of the process."""
    # Escape characters that the standard output cannot encode.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        # Imported here, because it needs the extra "cli".
        from handle_cli.command import hdl  # noqa: PLC0415 (see above)

        hdl(prog_name="hdl")
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        extra = "editor" if package in _OF_EDITORS else "cli"
        sys.stderr.write(
            f"hdl needs {package}, which is not installed: "
            f'pip install "sphinxcontrib-handle[{extra}]"\n'
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
