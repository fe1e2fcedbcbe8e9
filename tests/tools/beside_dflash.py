"""Compares Tandem's rounds with dflash's own loop: the same main model and head, in turn, in one process.

    pip install --no-deps dflash==0.1.0          # in an environment of its own, in which Tandem is installed
    python -m tests.tools.beside_dflash

dflash is no requirement of Tandem and no test runs this. Answers are greedy. Both load the weights in the precision
that the engine uses on this machine, and dflash's main model has the engine's fast products on the CPU too; only the
loop and the head's network differ. Times are from the request to the last token, including the reading of the prompt,
and from the first token to the last. Neither keeps anything from one answer to the next, except that Tandem's "auto
depth" keeps learned costs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import engine  # noqa: F401  (loads a fast BLAS before mlx)

# ruff: isort: split
import dflash.model_mlx as dflash
import mlx.core as mx

from engine import starter_pair
from engine.bench.prompts import BUILT_IN
from engine.client import RequestStream
from engine.events import Event, Finished, TokensCommitted
from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings

PLAIN, DFLASH = "plain", "dflash"


@dataclass(frozen=True)
class Answer:
    """An answer's ids without the one that ends the turn, its rounds, and its seconds."""

    ids: list[int]
    rounds: int
    whole_s: float
    decode_s: float

    @property
    def whole_tps(self) -> float:
        """Tokens a second from the request on."""
        return len(self.ids) / self.whole_s

    @property
    def decode_tps(self) -> float:
        """Tokens a second from the first token on."""
        return (len(self.ids) - 1) / self.decode_s


Arm = Callable[[str, int], Answer]


def our_arm(scheduler: Scheduler, end_tokens: frozenset[int], speculation: SpeculationSettings) -> Arm:
    """Return an arm that answers with Tandem's engine."""

    def answer(text: str, max_tokens: int) -> Answer:
        scheduler.clear_prefix_cache()
        mx.clear_cache()
        committed: list[float] = []
        last: list[Event] = []

        def receive(event: Event) -> None:
            last[:] = [event]
            if isinstance(event, TokensCommitted):
                committed.append(time.perf_counter())

        messages = [{"role": "user", "content": text}]
        request = ChatRequest(messages, SamplingSettings(temperature=0.0), speculation, max_tokens)
        started = time.perf_counter()
        scheduler.admit(RequestStream(request, on_event=receive))
        while scheduler.busy:
            scheduler.step()
        finished = last[0]
        assert isinstance(finished, Finished), finished
        ids = [token for token in finished.ids if token not in end_tokens]
        return Answer(ids, len(committed), committed[-1] - started, committed[-1] - committed[0])

    return answer


def dflash_arm(main: LoadedModel, head: Any, block: int | None) -> Arm:
    """Return an arm of dflash's loop with `block` rows a round, or as many as the head was trained with."""

    def answer(text: str, max_tokens: int) -> Answer:
        mx.clear_cache()
        ids: list[int] = []
        times: list[float] = []
        started = time.perf_counter()
        prompt = main.prompt_ids([{"role": "user", "content": text}])
        for response in dflash.stream_generate(
            main.model, head, main.tokenizer, prompt, block_size=block, max_tokens=max_tokens
        ):
            if response.tokens:
                ids += response.tokens
                times.append(time.perf_counter())
        ids = [token for token in ids if token not in main.end_tokens]
        return Answer(ids, len(times), times[-1] - started, times[-1] - times[0])

    return answer


def dflash_head(folder: Path, main: LoadedModel) -> Any:
    """Load dflash's own network for the head in `folder`, in the main model's precision."""
    dflash.snapshot_download = lambda path, **_: path
    head = dflash.load_draft(str(folder))
    head.set_dtype(main.model.model.norm.weight.dtype)
    mx.eval(head.parameters())
    return head


def make_arms(main: Path, head: Path) -> dict[str, Arm]:
    """Make all arms, plain first; dflash gets its own main model, whose layers it wraps."""
    scheduler = Scheduler(EngineSettings(allow_oversize=True))
    pair = run_to_completion(scheduler.changes.load(main, head))
    assert pair.draft_problem is None, pair.draft_problem
    theirs = load(main)
    network = dflash_head(head, theirs)
    end = theirs.end_tokens

    def fixed(depth: int) -> SpeculationSettings:
        return SpeculationSettings(method="draft", depth=depth, sample_share=0.0)

    most = int(network.config.block_size) - 1
    return {
        PLAIN: our_arm(scheduler, end, SpeculationSettings(method="off")),
        DFLASH: dflash_arm(theirs, network, None),
        f"ours, depth {most}": our_arm(scheduler, end, fixed(most)),
        f"{DFLASH}, block 8": dflash_arm(theirs, network, 8),
        "ours, depth 7": our_arm(scheduler, end, fixed(7)),
        "ours, auto depth": our_arm(scheduler, end, SpeculationSettings(method="draft")),
    }


def measure(arms: dict[str, Arm], repetitions: int, max_tokens: int) -> dict[tuple[str, int], list[Answer]]:
    """Return answers by arm and prompt; the order of the arms rotates, and the first answers are not counted."""
    answers: dict[tuple[str, int], list[Answer]] = {}
    names = list(arms)
    for repetition in range(repetitions + 1):
        for index, prompt in enumerate(BUILT_IN):
            turn = (index + repetition) % len(names)
            for name in names[turn:] + names[:turn]:
                answer = arms[name](prompt.text, max_tokens)
                if repetition:
                    answers.setdefault((name, index), []).append(answer)
        print(f"repetition {repetition} of {repetitions}", file=sys.stderr, flush=True)
    return answers


def report(answers: dict[tuple[str, int], list[Answer]], names: list[str]) -> list[str]:
    """A line an arm and kind of prompt: answers equal to plain ones, rounds, medians of ratios to the same answers."""
    lines = ["arm | prompts | equal to plain | rounds | tokens/s | of plain | of dflash | whole answer, of dflash"]
    kinds = [*dict.fromkeys(prompt.kind for prompt in BUILT_IN), "all"]
    for name in names:
        for kind in kinds:
            own = [
                (one, plain, theirs)
                for index, prompt in enumerate(BUILT_IN)
                if kind in (prompt.kind, "all")
                for one, plain, theirs in zip(
                    answers[name, index], answers[PLAIN, index], answers[DFLASH, index], strict=True
                )
                if len(plain.ids) > 1
            ]
            equal = sum(one.ids == plain.ids for one, plain, _ in own)
            rounds = sum(one.rounds for one, _, _ in own)
            speed = median(one.decode_tps for one, _, _ in own)
            ratios = [
                median(one.decode_tps / plain.decode_tps for one, plain, _ in own),
                median(one.decode_tps / theirs.decode_tps for one, _, theirs in own),
                median(one.whole_tps / theirs.whole_tps for one, _, theirs in own),
            ]
            figures = " | ".join(f"{ratio:.2f}" for ratio in ratios)
            lines.append(f"{name} | {kind} | {equal} of {len(own)} | {rounds} | {speed:.0f} | {figures}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head", type=Path, help="the head's folder; unless given, the starter's")
    parser.add_argument("--arms", default="", help="only these and what they are compared with, separated by ';'")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=100)
    options = parser.parse_args()
    starter, _ = starter_pair()
    arms = make_arms(starter, options.head or starter.parent / "head")
    if options.arms:
        arms = {name: arms[name] for name in dict.fromkeys([PLAIN, DFLASH, *options.arms.split(";")])}
    answers = measure(arms, options.repetitions, options.max_tokens)
    print("\n".join(report(answers, list(arms))))


if __name__ == "__main__":
    main()
