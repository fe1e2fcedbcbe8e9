"""What lookup in earlier chats gains: `python -m tests.benchmarks.earlier_chats [--seeds N]`.

Repeated work is replayed in new chats, with and without the index of earlier answers, by the engine's own controller
and proposers, in the simulated seconds of `tests.engine.speculation.played`: on a busy machine, wall time tells little.
The costs are those recorded of the starter pair and of a synthetic pair of 200M parameters on two cores, and those of a
simulated GPU. Draft tokens are right at the given rate. Every answer is played with both ways in turn; the figures are
medians over the seeds of the ratio of their speeds, over all answers but the first of each kind of work.
"""

from __future__ import annotations

import random
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

from transformers import AutoTokenizer

from engine.answer_index.index import AnswerIndex
from engine.requests import MAX_DEPTH
from tests.engine.speculation.by_kind import calibrate
from tests.engine.speculation.pairs import chain, gpu, measured_machine, proposals, stretches
from tests.engine.speculation.played import Answer, Machine, Pair, Player

ROOT = Path(__file__).resolve().parents[2]
TURNS = 10
LONGEST = 400

NAMES = ("Mina", "Jonas", "Aiko", "Wei", "Sofia", "Peter", "Hana", "Luis")
PARTS = ("the importer", "the sync service", "billing", "the search page", "the mobile app", "the export", "login")
STATES = ("is on track", "is two days late", "was finished on Tuesday", "waits for a review", "needs another week")
FILES = ("parser", "config", "server", "routes", "models", "cache", "queue", "report")

# A question and its answer.
Exchange = tuple[str, str]


def edits(draw: random.Random) -> Iterator[Exchange]:
    """One file is edited over and over: the question holds it, and the answer repeats it with a change."""
    path = draw.choice(sorted((ROOT / "engine" / "speculation" / "rounds").glob("*.py")))
    lines = path.read_text(encoding="utf-8").splitlines()[:30]
    for _ in range(TURNS):
        before = "\n".join(lines)
        at = draw.randrange(5, len(lines) - 5)
        lines[at : at + 1] = [f"# {draw.choice(NAMES)} asked for {draw.choice(PARTS)}.", lines[at]]
        yield f"Edit this file near line {at}:\n{before}", "\n".join(lines)


def reports(draw: random.Random) -> Iterator[Exchange]:
    """A weekly report: the question has notes, and the answer has them in the same frame."""
    for week in range(TURNS):
        notes = [(draw.choice(PARTS), draw.choice(STATES), draw.choice(NAMES)) for _ in range(3)]
        hours, done, opened = draw.randrange(80, 200), draw.randrange(5, 30), draw.randrange(5, 30)
        question = f"Week {week}: " + "; ".join(" ".join(note) for note in notes) + f". {hours} h, {done}, {opened}."
        rows = "\n".join(f"| {part} | {name} | {state} |" for part, state, name in notes)
        worst = notes[0]
        yield (
            question,
            f"# Weekly report, week {week}\n\n## Summary\n\nThis week the team worked {hours} hours and closed {done} "
            f"tickets, while {opened} new ones were opened. The table below shows the state of each part of the "
            f"project and who is responsible for it.\n\n| Part | Responsible | State |\n|---|---|---|\n{rows}\n\n"
            f"## Risks\n\nThe greatest risk at the moment is {worst[0]}, which {worst[1]}. {worst[2]} will report on "
            "it in the meeting on Monday. There are no other risks that need a decision by the steering committee.\n\n"
            f"## Next week\n\nWe plan to continue as agreed. Please send corrections to {worst[2]} by Friday noon, "
            "so that the final version can go to the customer in time.",
        )


def loops(draw: random.Random) -> Iterator[Exchange]:
    """An agent repairs tests: each question brings the output of a tool, and each answer calls the next."""
    for _ in range(TURNS):
        name, line = draw.choice(FILES), draw.randrange(10, 200)
        yield (
            f"The tests of {name} fail.",
            f'I will look at the failing test first.\n<tool_call>\n{{"name": "run_command", "arguments": {{"command": '
            f'"python -m pytest -q tests/test_{name}.py", "timeout": 120}}}}\n</tool_call>',
        )
        yield (
            f"FAILED tests/test_{name}.py:{line}: AssertionError: expected {draw.randrange(90)}",
            f'The test fails at line {line}. I will read the file to see what it expects.\n<tool_call>\n{{"name": '
            f'"read_file", "arguments": {{"path": "tests/test_{name}.py", "first_line": {line - 5}, "last_line": '
            f"{line + 5}}}}}\n</tool_call>",
        )
        yield (
            "10 passed",
            f"All tests pass now. The cause was a wrong bound in {name}.py, line {line}. I changed it, ran the tests "
            "again, and did not touch any other file. Please review the change before you commit it.",
        )


def fresh(draw: random.Random) -> Iterator[Exchange]:
    """Topics that were never spoken of: sections of different documents, each once."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*.md"))]
    sections = [part for text in texts for part in text.split("\n\n") if 300 < len(part) < 1200]
    yield from (("Tell me more.", section) for section in draw.sample(sections, 2 * TURNS))


WORK: dict[str, Callable[[random.Random], Iterator[Exchange]]] = {
    "edits of one file": edits, "weekly reports": reports, "agents' loops": loops, "fresh topics": fresh,
}  # fmt: skip
MACHINES: dict[str, tuple[Machine, float]] = {
    "starter": (measured_machine("draft"), 0.7),
    "200M": (measured_machine("200M"), 0.7),
    "200M, a better draft": (measured_machine("200M"), 0.85),
    "GPU": (gpu(20.0, 0.02, 0.0, chain(0.08)), 0.7),
}


def played(exchange: Exchange, encode: Callable[[str], list[int]], rate: float, draw: random.Random) -> Answer:
    question, text = (encode(part) for part in exchange)
    text = text[:LONGEST]
    chances = stretches(rate, len(text) + MAX_DEPTH + 1, draw)
    return Answer("", tuple(question), tuple(text), proposals(chances, len(text), 0.97, draw), LONGEST + 1)


def ratio(machine: tuple[Machine, float], work: Sequence[Exchange], before: Sequence[Exchange], seed: int) -> float:
    """Return the speed with the index to that without, on `work` after `before`, without the very first answer."""
    tokenizer = AutoTokenizer.from_pretrained(ROOT / "resources" / "starter" / "main")
    costs, rate = machine
    draw = random.Random(seed)

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text))

    with tempfile.TemporaryDirectory() as folder, closing(AnswerIndex(Path(folder), 2**26)) as earlier:
        earlier.use("any")
        pair = Pair("replay", costs, ())
        players = {"with": Player(pair, seed, earlier), "without": Player(pair, seed)}
        ms = dict.fromkeys(players, 0.0)
        for player in players.values():
            calibrate(player.drafting.controller, pair)
        for number, exchange in enumerate([*before, *work]):
            answer = played(exchange, encode, rate, draw)
            for way, player in players.items():
                spent = player.auto(answer)
                ms[way] += spent if number >= max(1, len(before)) else 0.0
            earlier.add("chat", answer.text)
            earlier.forget([]).result()
    return ms["without"] / ms["with"]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    for name, machine in MACHINES.items():
        for kind, make in WORK.items():
            found = []
            for seed in range(asked.seeds):
                draw = random.Random(seed)
                before = [one for other in (reports, loops, edits) for one in other(draw)] if make is fresh else []
                found.append(ratio(machine, list(make(draw)), before, seed))
            print(f"{name:24} {kind:20} {median(found):.2f} ({min(found):.2f} to {max(found):.2f})", flush=True)


if __name__ == "__main__":
    main()
