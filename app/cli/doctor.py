"""`tandem doctor`: what this computer offers Tandem, as a page or as JSON to paste into a report."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.cli.command import DONE, FAILED, add_command
from app.cli.pair_options import checked, chosen_pair, explained, own_engine_settings, own_settings, use_last_pair
from app.cli.terminal import in_terminal, say
from app.conversations.database.records import AnswerSource
from app.conversations.measured import PairSpeeds
from app.settings.engine_settings import speculation_of
from app.system.paths import speeds_file
from engine.errors import EngineError
from engine.machine.process_info import seconds_before_measuring

if TYPE_CHECKING:
    from app.settings.declarations import SettingsValues
    from engine.bench.pair_check import PairCheck

# The longest wait for a new pair's costs and rounding, whose measurement begins once the engine was idle for a moment.
_MEASURING_S = 45.0
# Seconds between two looks whether they are measured.
_POLL_S = 0.1


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "doctor",
        "check this computer: chip, memory, power, network, and the speed of a pair",
        ("tandem doctor", "tandem doctor --no-speed --json"),
        "Check this computer, and measure a pair of models for about a minute, with speculation as in the window's "
        "settings. The page and the report contain no chat text, and the report no paths and names of folders. Nothing "
        "is sent. macOS may ask about the local network.",
    )
    parser.add_argument("--main", metavar="MODEL", help="folder or name (default: the pair that the window used last)")
    parser.add_argument("--draft", metavar="MODEL", help='folder or name of its draft model or head; "none" for none')
    parser.add_argument("--no-speed", action="store_true", help="load no models")
    parser.add_argument("--json", action="store_true", help="print the report, one JSON object, instead of a page")


def run(arguments: argparse.Namespace) -> int:
    # Not at the top: other commands should not wait for it.
    from app.settings.checkup import gather, report
    from app.wording.checkup import page
    from engine.machine.facts import read_facts

    pair = None
    problem = ""
    settings = own_settings()
    if not arguments.no_speed:
        if sys.stderr.isatty():
            say("tandem: measuring for about a minute")
        try:
            pair = _measure(arguments, settings)
            problem = explained(pair.error) if pair.error is not None else ""
        except EngineError as error:
            problem = explained(error)
    pair_times = _pair_times(pair, speculation_of(settings).method)
    findings = gather(read_facts(), settings, pair, problem, pair_times)
    print(report(findings) if arguments.json else in_terminal(page(findings)), end="\n" if arguments.json else "")
    if problem and arguments.json:
        say(f"tandem: {problem}")
    return FAILED if problem else DONE


def _measure(arguments: argparse.Namespace, settings: SettingsValues) -> PairCheck:
    """Load the pair and measure it, with speculation as in the settings. Raises `EngineError` if loading fails."""
    use_last_pair(arguments, settings)
    pair = chosen_pair(arguments)
    from engine import Engine
    from engine.bench.pair_check import check_pair

    with Engine(replace(own_engine_settings(), draft_ahead=settings.draft_ahead)) as engine:
        loaded = checked(engine.load(*pair).result())
        assert loaded.main is not None
        # An idle engine probes and calibrates a pair that is new to it, unless it saves power.
        until = time.monotonic() + (_MEASURING_S if seconds_before_measuring() < _MEASURING_S else 0.0)
        while time.monotonic() < until and not any(
            known.loaded and known.rounding is not None for known in engine.learned().result()
        ):
            time.sleep(_POLL_S)
        draft = loaded.draft.name if loaded.draft is not None else ""
        return check_pair(engine, loaded.main.name, draft, threading.Event(), speculation_of(settings))


def _pair_times(check: PairCheck | None, method: str) -> float | None:
    """Add a check to the comparisons of its pair, and return the speed-up that is known of it, as the window does."""
    if check is None:
        return None
    speeds = PairSpeeds(speeds_file())
    pair = AnswerSource(check.main, check.draft, method).pair
    if check.times is not None:
        speeds.add_comparison(*pair, check.times)
    return speeds.speedup_of(*pair)
