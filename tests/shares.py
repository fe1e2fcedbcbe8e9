"""A share of the files for each process of `pytest -n`, which then collects nothing else.

With pytest-xdist's other ways, each process collects all tests: it imports every file of them. Its way "each" gives all
that a process has collected to that process; here, each collects only its share. `file_costs.json` says what the files
cost (see `file_costs.py`), so that all processes end at about the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.file_costs import KEPT

INPUT = "files"


def shares(files: Iterable[str], costs: Mapping[str, float], count: int) -> list[list[str]]:
    """Divide `files` into `count` lists of about the same cost: the dearest first, each to the list that costs least.

    A file that is not in `costs` is expected to cost what one of them does on average.
    """
    usual = mean(costs.values()) if costs else 1.0
    found: list[list[str]] = [[] for _ in range(count)]
    sums = [0.0] * count
    for file in sorted(files, key=lambda file: (-costs.get(file, usual), file)):
        least = sums.index(min(sums))
        found[least].append(file)
        sums[least] += costs.get(file, usual)
    return found


def divide_files(config: pytest.Config) -> None:
    """Register what this process needs: it starts others, is one of them with a share, or runs all tests itself."""
    if INPUT in (given := getattr(config, "workerinput", {})):
        config.pluginmanager.register(Share(config, given[INPUT]))
    # The way of dividing is in pyproject.toml, so that it is known also where there are no processes to start.
    elif config.getoption("dist", "no") == "each" and config.getoption("tx"):
        config.pluginmanager.register(Shares(config))


class Shares:
    """A plugin of the process that starts the others: tells each of them its share."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._collected = config, 0
        self._shares: list[list[str]] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        if not self._shares:
            tier = "full" if self._config.option.markexpr.startswith("full") else "default"
            costs = json.loads(KEPT.read_text(encoding="utf-8"))[tier]
            files = [file for file in files_of(self._config.args) if has_tests_of(file, self._config.option.markexpr)]
            named = [file.relative_to(self._config.rootpath).as_posix() for file in files]
            self._shares = shares(named, costs, node.workerinput["workercount"])
        node.workerinput[INPUT] = self._shares.pop()

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._collected += len(ids)

    def pytest_runtest_logstart(self) -> None:
        """Show percentages of all tests; pytest-xdist takes those that one process has collected for all."""
        self._session.testscollected = self._collected


class Share:
    """A plugin of one of those processes: leaves out what is not in its share."""

    def __init__(self, config: pytest.Config, files: Iterable[str]) -> None:
        self._files = {config.rootpath / file for file in files}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Do not import the others' files; None leaves it to pytest."""
        is_test = collection_path.match("test_*.py")
        return True if is_test and collection_path not in self._files else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the others' files that were named on the command line, which pytest never ignores."""
        items[:] = [item for item in items if item.path in self._files]


def files_of(arguments: Iterable[str]) -> set[Path]:
    """Return the files of tests that pytest's `arguments` name, or that are in folders that they name."""
    found = set[Path]()
    for argument in arguments:
        path = Path(argument.partition("::")[0]).resolve()
        found.update(path.rglob("test_*.py") if path.is_dir() else [path])
    return found


def has_tests_of(file: Path, marks: str) -> bool:
    """Return whether `file` may have tests of a tier; only those of the first minute are known by its text."""
    return marks != "first" or "mark.first" in file.read_text(encoding="utf-8")
