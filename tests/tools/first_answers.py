"""Shows the first speed-ups of new homes beside the true ones: `python -m tests.tools.first_answers`.

A process with a new home answers ten questions with the starter pair, with a pause before each one, as a reader makes.
A second process answers each question without speculation right before and after it, so that both meet the same load.
The true speed-up is the ratio of the speeds, and as true as the plain runs agree with each other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from msgspec import convert, to_builtins

from app.system.paths import learned_file
from app.tools.tool import TANDEM, Tool
from app.wording.figures import as_fast, rounded
from engine import Engine, starter_pair
from engine.events import Finished
from engine.grammars.grammar import calls_in_text
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.settings import EngineSettings
from engine.stats import RequestStats

QUESTIONS = (
    "hi",
    "What is Tandem?",
    "How does speculative decoding work?",
    "What can I do with Tandem?",
    "What does the acceptance rate mean?",
    "Who made you?",
    "What is the capital of France?",
    "What is a draft model?",
    "How do I choose another model?",
    "What is prompt lookup?",
)
# The window gives its Starter tools, too.
TOOLS = [Tool(TANDEM, "list_models", "list_models", "", "Lists the models.", {"type": "object"}).for_template()]
# Plain runs before and after each answer, and seconds of pause before each question.
PLAIN_RUNS, PAUSE_S = 3, 5.0


class Asked:
    """A process with a new home that answers questions, each in a chat of its own."""

    def __init__(self, home: Path, method: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.tools.first_answers", "--answer", method],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment | {"HOME": str(home)},
            text=True,
        )

    def ask(self, question: str) -> RequestStats:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(question + "\n")
        self._process.stdin.flush()
        return convert(json.loads(self._process.stdout.readline()), RequestStats, strict=False)

    def close(self) -> None:
        self._process.communicate()


def answer(method: str) -> None:
    """Answer the questions of standard input, and print the figures of each."""
    with Engine(EngineSettings(learned_file=learned_file())) as engine:
        main, draft = starter_pair()
        info = engine.load(str(main), str(draft)).result().main
        for line in sys.stdin:
            request = ChatRequest(
                messages=[{"role": "user", "content": line.strip()}],
                sampling=SamplingSettings(**dict(info.sampling)),
                speculation=SpeculationSettings(method=method),
                tools=TOOLS,
                grammar=calls_in_text(info.tool_format, TOOLS, parallel=True),
            )
            *_, last = engine.submit(request)
            assert isinstance(last, Finished)
            print(json.dumps(to_builtins(last.stats)), flush=True)


def main(homes: int) -> None:
    told = shown = false = 0
    for number in range(homes):
        with TemporaryDirectory() as one, TemporaryDirectory() as other:
            answers, plain = Asked(Path(one), "auto"), Asked(Path(other), "off")
            print(f"home {number + 1}\n{'question':38} tokens  {'shown':22}   low  high  true  plain tokens/s")
            for question in QUESTIONS:
                time.sleep(PAUSE_S)
                speeds = [plain.ask(question).decode_tps or 0.0 for _ in range(PLAIN_RUNS)]
                stats = answers.ask(question)
                speeds += [plain.ask(question).decode_tps or 0.0 for _ in range(PLAIN_RUNS)]
                truth = (stats.decode_tps or 0.0) / median(speeds)
                told, shown = told + 1, shown + bool(as_fast(stats))
                false += is_false(stats, truth)
                bounds = " ".join(f"{one or 0.0:5.2f}" for one in (stats.speedup_low, stats.speedup_high, truth))
                words = f"{question:38} {stats.generated_tokens:6}  {as_fast(stats):22} {bounds}"
                print(f"{words}  {min(speeds):.0f} to {max(speeds):.0f}", flush=True)
            answers.close()
            plain.close()
    print(f"{shown} of {told} answers show a speed-up, {false} of them off by more than a tenth")


def is_false(stats: RequestStats, truth: float) -> bool:
    """Whether the shown ratio, or bound, is off by more than a tenth and its rounding."""
    found = rounded(stats)
    if found is None:
        return False
    above, below = found.factor > 1.1 * truth + 0.05, found.factor < 0.9 * truth - 0.05
    return {"exact": above or below, "least": above, "most": below}[found.known]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--homes", type=int, default=3)
    parser.add_argument("--answer", metavar="METHOD", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    answer(arguments.answer) if arguments.answer else main(arguments.homes)
