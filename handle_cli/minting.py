"""``hdl mint`` makes new suffixes, and ``hdl suffix`` reads their time.

They load nothing that only works files need.
"""

import click

from handle_cli.files import trust_config_option
from handle_cli.output import UnusableError, print_line
from handle_cli.parsing import given
from handle_cli.project_settings import settings_of_suffixes
from handle_system.handle import Handle
from handle_system.suffix import MintingError, to_datetime
from handle_system.suffix import mint as mint_suffix
from handle_system.suffix_policy import SuffixPolicy

state_option = click.option(
    "--state",
    type=click.Path(dir_okay=False),
    help="A file that keeps any two runs from making the same suffix.",
)


@click.command()
@click.option("--prefix", metavar="P", help="Write whole handles, with this prefix.")
@state_option
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The number of suffixes.",
)
@trust_config_option
def mint(
    *, prefix: str | None, state: str | None, count: int, trust_config: bool
) -> None:
    """Make new suffixes: nine characters each, which encode the current time.

    One run never makes a suffix twice. With --state, runs that name the same file never
    make the same suffix, even at the same time. Use one file for each prefix.

    Exits with 2 if the prefix is wrong or wants suffixes of another format
    (suffix_policy), or if no suffix is certain to be new.
    """
    policy = None
    if prefix is not None:
        policy = settings_of_suffixes(trust_config=trust_config).values.suffixes
    for _ in range(count):
        print_line(minted(prefix, state, policy))


def minted(
    prefix: str | None, state: str | None, policy: SuffixPolicy | None = None
) -> str:
    """A new suffix, behind the prefix if there is one.

    Args:
        prefix: The prefix.
        state: The file of the suffixes that were made.
        policy: The formats of suffixes, by prefix.

    Raises:
        UnusableError: when no suffix is certain to be new, or when the prefix wants
            suffixes of another format.
    """
    try:
        made = mint_suffix(state=state)
    except MintingError as error:
        raise UnusableError(str(error)) from error
    if prefix is None:
        return made
    handle = Handle(prefix, made)
    problem = None if policy is None else policy.problem(handle)
    if problem is not None:
        raise UnusableError(f"{handle}: {problem.reason}")
    return str(handle)


@click.command()
@click.argument("suffixes", nargs=-1, required=True, metavar="SUFFIX…")
def suffix(suffixes: tuple[str, ...]) -> None:
    """Show when each SUFFIX was made.

    A suffix that "hdl mint" makes holds the time, to the millisecond: Y35XYS0QH is
    2007-05-25T03:49:52.865Z. The PILIN project made suffixes of this format, too. A
    SUFFIX stands without its prefix; "-" reads suffixes from the standard input, one to
    a line.

    Exits with 2 at the first SUFFIX of another format.
    """
    for suffix_given in given(suffixes):
        text = suffix_given.text
        time = to_datetime(text).isoformat(timespec="milliseconds")
        print_line(f"{text} {time.removesuffix('+00:00')}Z")
