"""What each file of tests costs, and whether that is too much.

    TANDEM_FILE_COSTS=costs.json python -m pytest -n 2
    python -m tests.file_costs costs.json

The first command writes the CPU seconds of each file, those of ended child processes included, and the number of its
tests. The second fails where a file costs more than `SECONDS` in all, or `SECONDS_A_TEST` on average, unless
`costly_files.toml` gives a reason.

A busy or slower machine takes more CPU seconds for the same work. The seconds of each test are therefore divided by
those of a fixed computation, measured shortly before, and multiplied by what it takes on the machine of the limits.
What that leaves, by two runs under different loads up to a third, is within `TOLERANCE`.
"""

from __future__ import annotations

import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import pytest

VARIABLE = "TANDEM_FILE_COSTS"
REASONS = Path(__file__).with_name("costly_files.toml")
SECONDS, SECONDS_A_TEST, TOLERANCE = 4.0, 0.5, 1.5
# What `_yardstick` takes on the machine of the limits, and the seconds of tests after which it is measured again.
YARDSTICK_S, MEASURED_EVERY_S = 0.007, 0.5


class FileCosts:
    """A plugin that adds up the costs of this process's tests, and writes those of all processes to `path`."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._seconds, self._tests = Counter[str](), Counter[str]()
        self._slowness, self._since = 1.0, MEASURED_EVERY_S

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if self._since >= MEASURED_EVERY_S:
            self._slowness, self._since = _yardstick() / YARDSTICK_S, 0.0
        begun = _cpu_seconds()
        result = yield
        spent = _cpu_seconds() - begun
        self._since += spent
        file = item.nodeid.partition("::")[0]
        self._seconds[file] += spent / self._slowness
        self._tests[file] += 1
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what another process has measured; one that crashed has told nothing."""
        for file, (seconds, tests) in getattr(node, "workeroutput", {}).get(VARIABLE, {}).items():
            self._seconds[file] += seconds
            self._tests[file] += tests

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        costs = {file: (round(self._seconds[file], 3), tests) for file, tests in sorted(self._tests.items())}
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[VARIABLE] = costs
        else:
            self._path.write_text(json.dumps(costs, indent=1), encoding="utf-8")


def _cpu_seconds() -> float:
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _yardstick() -> float:
    begun = time.process_time()
    squares = {str(number): number * number for number in range(50_000)}
    sorted(squares)
    return time.process_time() - begun


def complaints(costs: Mapping[str, tuple[float, int]], reasons: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what is wrong: files that cost too much, and reasons for files that do not exist."""
    found = [f"{file}: costly_files.toml names it, and it has no tests" for file in reasons if file not in costs]
    for file, (seconds, tests) in costs.items():
        limit = reasons[file]["seconds"] if file in reasons else min(SECONDS, SECONDS_A_TEST * tests)
        if seconds > TOLERANCE * limit:
            found.append(f"{file}: {seconds:.1f} CPU seconds for {tests} tests, {limit:g} are allowed")
    return found


def main() -> int:
    costs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(f"{len(costs)} files cost {sum(seconds for seconds, _ in costs.values()):.0f} CPU seconds; the dearest:")
    for file, (seconds, tests) in sorted(costs.items(), key=lambda item: -item[1][0])[:20]:
        print(f"{seconds:6.1f} {tests:5} {file}")
    found = complaints(costs, tomllib.loads(REASONS.read_text(encoding="utf-8")))
    print("\n".join(found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
