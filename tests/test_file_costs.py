"""The costs of files of tests: counted over several processes, and complaints about those that cost too much."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.file_costs import VARIABLE, complaints, keep

BUSY = """
import subprocess, sys, time
import pytest

@pytest.mark.parametrize("number", range(2))
def test_it(number):
    ends = time.process_time() + 0.1
    while time.process_time() < ends:
        pass
"""
CHILD = """
def test_child():
    subprocess.run([sys.executable, "-c", "sum(range(10_000_000))"], check=True)
"""
LIVING = """
import atexit
def test_living():
    child = subprocess.Popen([sys.executable, "-c", "sum(range(30_000_000)); print(flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(child.communicate)
    child.stdout.readline()
"""
CONFTEST = """
import os
from tests.file_costs import FileCosts

def pytest_configure(config):
    config.pluginmanager.register(FileCosts(os.environ["TANDEM_FILE_COSTS"]))
"""


@pytest.mark.full
def test_the_costs_of_all_processes_are_written(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[1]
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]")
    (tmp_path / "test_one.py").write_text(BUSY)
    (tmp_path / "test_other.py").write_text(BUSY + CHILD + LIVING)
    environment = {**os.environ, VARIABLE: str(tmp_path / "costs.json"), "PYTHONPATH": str(root)}
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "--dist=loadfile"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, stdout=subprocess.DEVNULL)
    costs = json.loads((tmp_path / "costs.json").read_text())
    assert {file: tests for file, (_, tests) in costs.items()} == {"test_one.py": 2, "test_other.py": 4}
    assert costs["test_one.py"][0] < costs["test_other.py"][0]


@pytest.mark.parametrize(("seconds", "tests"), [(3.9, 100), (1.9, 1), (7.9, 100), (3.9, 1)])
def test_a_file_within_the_limits_or_little_above_is_none_of_the_complaints(seconds: float, tests: int) -> None:
    assert not complaints({"test_one.py": (seconds, tests)}, {})


@pytest.mark.parametrize(("seconds", "tests", "allowed"), [(8.1, 100, "4"), (4.1, 1, "2"), (5.1, 5, "2.5")])
def test_a_file_that_costs_too_much_is_named_with_its_limit(seconds: float, tests: int, allowed: str) -> None:
    [complaint] = complaints({"test_one.py": (seconds, tests)}, {})
    assert complaint == f"test_one.py: {seconds} CPU seconds for {tests} tests, {allowed} are allowed"


def test_a_reason_has_a_limit_of_its_own() -> None:
    reasons = {"test_one.py": {"seconds": 12, "reason": "trains"}}
    assert not complaints({"test_one.py": (23.9, 3)}, reasons)
    assert complaints({"test_one.py": (24.1, 3)}, reasons)


def test_a_reason_for_a_file_without_tests_is_named() -> None:
    [complaint] = complaints({}, {"test_gone.py": {"seconds": 12, "reason": "trains"}})
    assert complaint.startswith("test_gone.py")


def test_the_costs_of_a_tier_are_kept_beside_those_of_the_other(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text('{"default": {"test_gone.py": 1.0}, "full": {"test_one.py": 2.0}}')
    keep({"test_one.py": (0.26, 3)}, "default", path)
    assert json.loads(path.read_text()) == {"default": {"test_one.py": 0.3}, "full": {"test_one.py": 2.0}}
