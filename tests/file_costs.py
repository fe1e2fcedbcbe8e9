"""What each file of tests costs, and whether that is too much.

    TANDEM_FILE_COSTS=costs.json python -m pytest -n 2
    python -m tests.file_costs costs.json
    python -m tests.file_costs costs.json --keep default

The first command writes the CPU seconds of each file, those of its child processes included, and the number of its
tests. The second fails where a file costs more than `SECONDS` in all, or, from `LEAST` on, `SECONDS_A_TEST` on average,
unless `costly_files.toml` gives a reason and another limit. The third writes the seconds into `file_costs.json`, as
those of the default tier or of the full one (`-m "full and not campaign and not real"`); `shares.py` divides the files
by them.

A busy or slower machine takes more CPU seconds for the same work. The seconds of a file are therefore divided by those
of a fixed computation that is measured between its tests, and multiplied by what it takes on the machine of the limits.
What that leaves (a third between two runs under different loads, and more between machines) is within `TOLERANCE`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import mean
from typing import Any

import psutil
import pytest

VARIABLE = "TANDEM_FILE_COSTS"
REASONS, KEPT = (Path(__file__).with_name(name) for name in ("costly_files.toml", "file_costs.json"))
# No file has to stay below `LEAST`: the first one that loads a library pays for all.
SECONDS, SECONDS_A_TEST, LEAST, TOLERANCE = 4.0, 0.5, 2.0, 2.0
# What `_yardstick` takes on the machine of the limits, and the seconds of tests after which it is measured again.
YARDSTICK_S, MEASURED_EVERY_S = 0.007, 0.5


class FileCosts:
    """A plugin that adds up the costs of this process's files of tests, and writes those of all processes to `path`."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._seconds, self._tests = Counter[str](), Counter[str]()
        self._file, self._begun, self._yardsticks = "", _cpu_seconds(), [_yardstick()]
        self._measured = time.process_time()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        if (file := item.nodeid.partition("::")[0]) != self._file:
            self._close_file()
            self._file = file
        elif time.process_time() - self._measured > MEASURED_EVERY_S:
            self._yardsticks.append(_yardstick())
            self._measured = time.process_time()
        self._tests[file] += 1

    def _close_file(self) -> None:
        """A file is measured as a whole, because the processes of its fixtures have to be asked one by one."""
        spent, slowness = _cpu_seconds() - self._begun, mean(self._yardsticks) / YARDSTICK_S
        if self._file:
            self._seconds[self._file] += spent / slowness
        self._yardsticks, self._measured = [_yardstick()], time.process_time()
        self._begun = _cpu_seconds()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what another process has measured; one that crashed has told nothing."""
        for file, (seconds, tests) in getattr(node, "workeroutput", {}).get(VARIABLE, {}).items():
            self._seconds[file] += seconds
            self._tests[file] += tests

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._close_file()
        costs = {file: (round(self._seconds[file], 3), tests) for file, tests in sorted(self._tests.items())}
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[VARIABLE] = costs
        else:
            self._path.write_text(json.dumps(costs, indent=1), encoding="utf-8")


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its child processes, ended or not."""
    spent, ended = time.process_time(), getrusage(RUSAGE_CHILDREN)
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            spent += sum(child.cpu_times()[:2])
    return spent + ended.ru_utime + ended.ru_stime


def _yardstick() -> float:
    begun = time.process_time()
    squares = {str(number): number * number for number in range(50_000)}
    sorted(squares)
    return time.process_time() - begun


def complaints(costs: Mapping[str, tuple[float, int]], reasons: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what is wrong: files that cost too much, and reasons for files that do not exist."""
    found = [f"{file}: costly_files.toml names it, and it has no tests" for file in reasons if file not in costs]
    for file, (seconds, tests) in costs.items():
        limit = reasons[file]["seconds"] if file in reasons else min(SECONDS, max(LEAST, SECONDS_A_TEST * tests))
        if seconds > TOLERANCE * limit:
            found.append(f"{file}: {seconds:.1f} CPU seconds for {tests} tests, {limit:g} are allowed")
    return found


def keep(costs: Mapping[str, tuple[float, int]], tier: str, path: Path) -> None:
    """Write the seconds as those of `tier` into a file that has those of all tiers."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    kept[tier] = {file: round(seconds, 1) for file, (seconds, _) in costs.items()}
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("costs", type=Path)
    parser.add_argument("--keep", choices=["default", "full"], metavar="TIER")
    arguments = parser.parse_args()
    costs = json.loads(arguments.costs.read_text(encoding="utf-8"))
    if arguments.keep:
        keep(costs, arguments.keep, KEPT)
        return 0
    print(f"{len(costs)} files cost {sum(seconds for seconds, _ in costs.values()):.0f} CPU seconds; the dearest:")
    for file, (seconds, tests) in sorted(costs.items(), key=lambda item: -item[1][0])[:20]:
        print(f"{seconds:6.1f} {tests:5} {file}")
    found = complaints(costs, tomllib.loads(REASONS.read_text(encoding="utf-8")))
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
