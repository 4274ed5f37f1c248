"""``python -m handle_cli``, the same as ``hdl``."""

from handle_cli.command import hdl

__all__ = ["main"]


def main() -> None:
    """Run the command with the arguments of the process."""
    hdl(prog_name="hdl")


if __name__ == "__main__":
    main()
