"""Mutated texts and octets: pieces inserted, removed, repeated, replaced."""

import random
from collections.abc import Callable, Sequence

__all__ = ["mixed", "mutated", "mutated_octets"]


def mixed(pieces: Sequence[str], rng: random.Random, most: int = 40) -> str:
    """Random pieces."""
    return "".join(rng.choices(pieces, k=rng.randint(1, most)))


def mutated(text: str, pieces: Sequence[str], rng: random.Random) -> str:
    """The text with up to eight mutations."""
    for _ in range(rng.choice((0, 1, 1, 2, 4, 8))):
        text = rng.choice(_CHANGES)(text, pieces, rng)
    return text


def mutated_octets(octets: bytes, rng: random.Random) -> bytes:
    """The octets with some of them replaced, removed or repeated."""
    made = bytearray(octets)
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(made))
        end = min(len(made), start + rng.choice((1, 1, 2, 4, 16)))
        match rng.randrange(4):
            case 0:
                made[start:end] = rng.randbytes(end - start)
            case 1:
                made[start:end] = rng.choice((b"\0\0\0\0", b"\xff\xff\xff\xff"))
            case 2 if len(made) > end - start:
                del made[start:end]
            case _:
                made[start:start] = made[start:end]
    return bytes(made)


def _put_in(text: str, pieces: Sequence[str], rng: random.Random) -> str:
    place = rng.randint(0, len(text))
    return text[:place] + rng.choice(pieces) + text[place:]


def _take_out(text: str, _pieces: Sequence[str], rng: random.Random) -> str:
    start = rng.randint(0, len(text))
    return text[:start] + text[start + rng.randint(1, 4) :]


def _change_one(text: str, _pieces: Sequence[str], rng: random.Random) -> str:
    place = rng.randint(0, len(text))
    code = rng.randrange(rng.choice((0x80, 0x3100, 0x110000)))
    return text[:place] + chr(code) + text[place + 1 :]


def _double(text: str, _pieces: Sequence[str], rng: random.Random) -> str:
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.randint(1, 20))
    return text[:end] + text[start:end] * rng.choice((1, 1, 2, 50)) + text[end:]


def _swap_case(text: str, _pieces: Sequence[str], rng: random.Random) -> str:
    place = rng.randint(0, len(text))
    return text[:place].swapcase() + text[place:]


_Change = Callable[[str, Sequence[str], random.Random], str]
_CHANGES: tuple[_Change, ...] = (
    *(_put_in, _put_in, _take_out, _change_one, _change_one, _double, _swap_case),
)
