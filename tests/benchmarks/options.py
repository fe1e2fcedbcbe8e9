"""Options, progress and output of the benchmarks for developers.

Run each from the root of the repository: `python -m tests.benchmarks.window --help`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.cli.pair_options import add_pair_options
from engine.bench.prompts import BUILT_IN, BenchPrompt, read_prompts


def parser_of(description: str | None, *, repetitions: bool = True) -> argparse.ArgumentParser:
    """Return a parser with the options of every benchmark."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    if repetitions:
        parser.add_argument("--repetitions", type=int, default=3, metavar="N", help="how often all is repeated (3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    return parser


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of benchmarks with answers of models."""
    add_pair_options(parser)
    parser.add_argument("--prompts", type=Path, metavar="FILE", help='one JSON object per line, each with a "text"')
    parser.add_argument("--max-tokens", type=int, default=128, metavar="N", help="answer length (128)")


def prompts_of(arguments: argparse.Namespace) -> Sequence[BenchPrompt]:
    """Return the prompts to measure with."""
    return read_prompts(arguments.prompts) if arguments.prompts else BUILT_IN


def numbers(text: str) -> list[float]:
    """Parse the numbers of a list such as 0,0.2,1."""
    return [float(number) for number in text.split(",")]


def progress(line: str) -> None:
    """Print the progress of a benchmark."""
    print(line, file=sys.stderr, flush=True)


def show(arguments: argparse.Namespace, report: dict[str, Any], table: Callable[[dict[str, Any]], object]) -> None:
    """Print a report as JSON, or formatted by `table`."""
    print(json.dumps(report)) if arguments.json else table(report)
