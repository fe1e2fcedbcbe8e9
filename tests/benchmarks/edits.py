"""Ten texts that a real model writes again with an edit: automatic look-ups beside the best fixed depth.

    python -m tests.benchmarks.edits MODEL [--orders N] [--processor]

MODEL writes each answer once, without drafts. The answers are then played with published costs of passes, in orders
that are drawn at random, so the figures do not depend on this machine's load. With --processor, MODEL also writes them
here in each way in turn, and the processor's seconds and the rounds are counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.benchmarks.options import parser_of, progress, show
from tests.engine.serving_requests import PLAIN, alone, open_scheduler
from tests.engine.speculation.by_kind import calibrate
from tests.engine.speculation.copies import FEW_READINGS, STOCK, copying_machine
from tests.engine.speculation.played import Answer, Pair, Player, arms_of

MOST_TOKENS = 160
# The fixed depths whose rounds are counted here.
DEPTHS = (4, 8, 16, 32)
_CURVES = {"stock kernels": STOCK, "few readings": FEW_READINGS}

_LETTER = """Dear Ms. Miller,

thank you for your order of 12 March. The three lamps left our house this morning and will reach you by Friday. Please
check them when they arrive, and tell us within two weeks if one of them is damaged. We will then send you another one
at no cost.

Kind regards,
Anna Schmidt
"""
_CODE = """def average(values):
    total = 0
    for value in values:
        total = total + value
    if not values:
        return 0
    return total / len(values)
"""
_JSON = """{
  "title": "Settings",
  "language": "Language",
  "theme": "Theme",
  "save": "Save changes",
  "cancel": "Cancel",
  "reset": "Reset everything"
}
"""
_TYPOS = """The model reads the promt once and keeps what it has read. After that it writes one word after another.
Each new word depends on all words befor it, so the work cannot be divided. A second, smaller model can guess the next
words, and the large one checks all guesses togther.
"""
_LIST = """- apples: 3
- bread: 1
- eggs: 12
- milk: 2
- rice: 1
- tomatoes: 6
"""
_CONFIGURATION = """[server]
host = localhost
port = 8080
workers = 4
timeout = 30

[database]
host = localhost
port = 5432
name = shop
"""
_TABLE = """| name | city | age |
|---|---|---|
| Tom | Paris | 31 |
| Lena | Rome | 28 |
| Kim | Seoul | 45 |
| Omar | Cairo | 39 |
"""
_CLASS = """class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance = self.balance + amount

    def withdraw(self, amount):
        self.balance = self.balance - amount
"""
TASKS = {
    "fix typos": f"Write this text again and fix the spelling mistakes:\n\n{_TYPOS}",
    "rename a variable": f"Rename the variable total to result in this code. Write the whole code:\n\n{_CODE}",
    "change a name": f"Write this letter again, but to Mr. Brown instead of Ms. Miller:\n\n{_LETTER}",
    "translate a value": f"Translate only the value of save to French in this JSON. Write the whole JSON:\n\n{_JSON}",
    "change a number": f"Write this list again with 24 eggs instead of 12:\n\n{_LIST}",
    "change a setting": f"Change the port of the server to 9000. Write the whole file:\n\n{_CONFIGURATION}",
    "add a row": f"Add the row Mia, Oslo, 22 to the end of this table. Write the whole table:\n\n{_TABLE}",
    "rename a class": f"Rename the class Account to Wallet. Write the whole code:\n\n{_CLASS}",
    "add a comment": f"Add a comment above each function of this code. Write the whole code:\n\n{_CLASS}",
    "change the date": f"Write this letter again with the date 30 April instead of 12 March:\n\n{_LETTER}",
}


def asked(task: str, speculation: SpeculationSettings = PLAIN) -> ChatRequest:
    messages = [{"role": "user", "content": TASKS[task]}]
    return ChatRequest(messages, SamplingSettings(temperature=0.0), speculation, MOST_TOKENS)


def written(scheduler: Scheduler) -> list[Answer]:
    """Let the model of `scheduler` write all answers without drafts."""
    main = scheduler.models.main
    assert main is not None
    answers = []
    for task in TASKS:
        prompt = main.prompt_ids([{"role": "user", "content": TASKS[task]}])
        ids = alone(scheduler, asked(task)).ids
        progress(f"{task}: {len(prompt)} and {len(ids)} tokens")
        answers.append(Answer(task, tuple(prompt), ids, (), MOST_TOKENS))
    return answers


def played(answers: Sequence[Answer], kernels: str, orders: int) -> dict[str, Any]:
    """Play the answers with the costs of `kernels` in so many orders, each with a new, calibrated controller.

    `best` is the fixed depth that is best over all answers; `auto` has each answer's share of its speed.
    """
    pair = Pair(kernels, copying_machine(_CURVES[kernels]), answers, drafter="")
    fixed = {arm: [mean(_fixed(pair, answer, arm, orders)) for answer in answers] for arm in arms_of(pair)}
    auto = [mean(times) for times in zip(*(_auto(pair, seed) for seed in range(orders)), strict=True)]
    best = min(fixed, key=lambda arm: sum(fixed[arm]))
    plain = fixed["plain", 0]
    return {
        "best": best[1],
        "share": sum(fixed[best]) / sum(auto),
        "gain": sum(plain) / sum(auto),
        "of best": {a.kind: least / ours for a, least, ours in zip(answers, fixed[best], auto, strict=True)},
        "of plain": {a.kind: least / ours for a, least, ours in zip(answers, plain, auto, strict=True)},
    }


def _fixed(pair: Pair, answer: Answer, arm: tuple[str, int], orders: int) -> list[float]:
    return [Player(pair, seed + 1).fixed(answer, *arm) for seed in range(orders)]


def _auto(pair: Pair, seed: int) -> list[float]:
    """Return the milliseconds of each answer, in an order drawn by `seed`."""
    player, order = Player(pair, seed), list(range(len(pair.answers)))
    calibrate(player.drafting.controller, pair)
    random.Random(seed).shuffle(order)
    times = {index: player.auto(pair.answers[index]) for index in order}
    return [times[index] for index in range(len(order))]


def processor(scheduler: Scheduler, repetitions: int) -> dict[str, Any]:
    """Return, for each way, the processor's seconds and the rounds of all answers; medians of `repetitions`."""
    ways = {"plain": PLAIN, "auto": SpeculationSettings(method="ngram")}
    ways |= {f"depth {depth}": SpeculationSettings(method="ngram", depth=depth, sample_share=0.0) for depth in DEPTHS}
    scheduler.upkeep.calibrate()
    found: dict[str, Any] = {way: {"seconds": 0.0, "rounds": 0} for way in ways}
    for task in TASKS:
        seconds: dict[str, list[float]] = {way: [] for way in ways}
        rounds = dict.fromkeys(ways, 0)
        for _ in range(repetitions):
            for way, speculation in ways.items():
                begun = time.process_time()
                rounds[way] = alone(scheduler, asked(task, speculation)).stats.rounds
                seconds[way].append(time.process_time() - begun)
        for way in ways:
            found[way]["seconds"] += median(seconds[way])
            found[way]["rounds"] += rounds[way]
        progress(f"{task}: " + ", ".join(f"{way} {median(seconds[way]):.2f} s" for way in ways))
    return found


def table(report: dict[str, Any]) -> None:
    """Print a report: a line for each sort of kernels and each way, and a row for each task."""
    for kernels, found in report["played"].items():
        print(f"{kernels}: {found['gain']:.2f} of plain, {found['share']:.3f} of depth {found['best']}, the best one")
        for task, share in found["of best"].items():
            print(f"  {task:20} {found['of plain'][task]:.2f} of plain, {share:.3f} of the best")
    for way, counted in report.get("processor", {}).items():
        print(f"{way}: {counted['seconds']:.1f} s of the processor, {counted['rounds']} rounds")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("model", type=Path, help="a folder with a model")
    parser.add_argument("--orders", type=int, default=12, metavar="N", help="orders that are played (12)")
    parser.add_argument("--processor", action="store_true", help="also count on this machine")
    arguments = parser.parse_args()
    with open_scheduler(arguments.model) as scheduler:
        answers = written(scheduler)
        report: dict[str, Any] = {"played": {name: played(answers, name, arguments.orders) for name in _CURVES}}
        if arguments.processor:
            report["processor"] = processor(scheduler, arguments.repetitions)
    show(arguments, report, table)


if __name__ == "__main__":
    main()
