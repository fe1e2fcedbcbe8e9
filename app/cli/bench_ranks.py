"""`tandem bench --ranks`: what speculation gains over several ranks of this computer, by the delay of their link."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from app.cli.exit_codes import DONE
from app.cli.pair_options import chosen_pair
from app.cli.tables import print_table
from engine.errors import BadRequest, require


def run_ranks(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code. Raises `EngineError`."""
    from engine.bench import prompts, ranks

    require(2 <= arguments.ranks <= 8, "ranks", "between 2 and 8", arguments.ranks)
    delays = _delays(arguments.delays)
    asked = [prompt for prompt in prompts.BUILT_IN if prompt.language == "en"]
    if arguments.prompts:
        asked = list(prompts.read_prompts(arguments.prompts))
    report = ranks.measure(
        arguments.ranks,
        delays,
        chosen_pair(arguments),
        asked,
        repetitions=arguments.repetitions,
        max_tokens=arguments.max_tokens,
        progress=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if arguments.json:
        print(json.dumps(report))
    else:
        print_table(("delay", "arm", "tokens/s", "speed-up", "expected", "tokens a round"), list(_rows(report)))
    return DONE


def _rows(report: dict[str, Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for figures in report["delays"]:
        delay = f"{figures['delay_ms']:g} ms"
        rows.append((delay, "plain", f"{figures['plain_tps']:.1f}", "", "", ""))
        for name, arm in figures["arms"].items():
            expected = f"{arm['expected_speedup']:.2f}" if "expected_speedup" in arm else ""
            found = f"{arm['decode_tps']:.1f}", f"{arm['speedup']:.2f}", expected, f"{arm['tokens_per_round']:.2f}"
            rows.append((delay, name, *found))
    return rows


def _delays(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise BadRequest("delays", "milliseconds with commas between them", text) from error
    require(all(0.0 <= delay <= 1000.0 for delay in found), "delays", "between 0 and 1000 ms", text)
    return found
