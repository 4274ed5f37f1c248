"""Decode a million changed answers of a real handle server: `python -m trials.fuzz.native_messages`.

The one exception that decoding may raise is `MessageError`.  An argument chooses
another number of answers.
"""

import json
import random
import sys
from collections import Counter
from pathlib import Path

from handle_system.resolving.native.lookup import sites_in
from handle_system.resolving.native.messages import Answer, Message
from handle_system.resolving.native.octets import MessageError
from handle_system.resolving.native.values import read_values

CORPUS = Path(__file__).parents[2] / "tests/corpus/native-vectors.jsonl"


def changed(octets: bytes, chance: random.Random) -> bytes:
    """The octets with some of them replaced, removed or repeated."""
    made = bytearray(octets)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(made))
        end = min(len(made), start + chance.choice((1, 1, 2, 4, 16)))
        match chance.randrange(4):
            case 0:
                made[start:end] = chance.randbytes(end - start)
            case 1:
                made[start:end] = chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff"))
            case 2 if len(made) > end - start:
                del made[start:end]
            case _:
                made[start:start] = made[start:end]
    return bytes(made)


def main() -> None:
    """Decode them, and say how many could be read."""
    total = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    answers = [bytes.fromhex(json.loads(line)["response_hex"]) for line in lines]
    chance = random.Random(2641)
    counts: Counter[str] = Counter()
    for _ in range(total):
        try:
            message = Message.from_octets(changed(chance.choice(answers), chance))
            sites_in(read_values(Answer.of(message).values))
        except MessageError:
            counts["refused"] += 1
        else:
            counts["read"] += 1
    print(f"{total} answers: {dict(counts)}")


if __name__ == "__main__":
    main()
