"""Shares of the files of tests for several processes: about equal ones, of which each file is in one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.shares import files_of, has_tests_of, shares

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = """
from tests.shares import divide_files as pytest_configure
"""
NOTED = """
import os
with open("imported.txt", "a") as file:
    file.write(__name__ + "\\n")
"""
TESTS = """
import os
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_it(number):
    {body}
"""


def test_the_dearest_files_are_in_different_shares() -> None:
    costs = {"a": 9.0, "b": 8.0, "c": 4.0, "d": 2.0, "e": 1.0}
    assert shares(costs, costs, 2) == [["a", "d", "e"], ["b", "c"]]


def test_a_file_without_a_known_cost_is_an_average_one() -> None:
    assert shares(["new", "a", "b"], {"a": 3.0, "b": 1.0}, 2) == [["a"], ["new", "b"]]


def test_more_processes_than_files_get_no_file() -> None:
    assert shares(["a"], {}, 3) == [["a"], [], []]


def test_arguments_name_files_folders_and_tests(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for file in (tmp_path / "test_one.py", inner / "test_two.py", inner / "helper.py"):
        file.touch()
    named = files_of([f"{tmp_path}/test_one.py::test_it", str(inner)])
    assert named == {tmp_path / "test_one.py", inner / "test_two.py"}


@pytest.mark.parametrize(("marks", "expected"), [("first", [True, False]), ("", [True, True]), ("full", [True, True])])
def test_files_without_a_test_of_the_first_minute_are_known(tmp_path: Path, marks: str, expected: list[bool]) -> None:
    first, other = tmp_path / "test_first.py", tmp_path / "test_other.py"
    first.write_text("@pytest.mark.first")
    other.write_text("@pytest.mark.full")
    assert [has_tests_of(file, marks) for file in (first, other)] == expected


def _run(folder: Path, *arguments: str, processes: Sequence[str] = ("-n2",)) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    options = ["-p", "no:cacheprovider", *processes, "--dist=each", "--max-worker-restart=0"]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.full
@pytest.mark.parametrize("arguments", [[], ["test_a.py", "test_b.py::test_it", "test_c.py"]], ids=["folder", "files"])
def test_each_test_runs_once_and_the_last_one_is_the_hundredth_percent(tmp_path: Path, arguments: list[str]) -> None:
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text(NOTED + TESTS.format(count=4, body="assert True"))
    run = _run(tmp_path, *arguments)
    assert run.returncode == 0
    assert "12 passed" in run.stdout
    assert "[100%]" in run.stdout
    if not arguments:
        assert sorted((tmp_path / "imported.txt").read_text().split()) == ["test_a", "test_b", "test_c"]


@pytest.mark.parametrize("processes", [[], ["-n0"]], ids=["unsaid", "none"])
def test_a_run_that_starts_no_processes_tells_that_its_tests_passed(tmp_path: Path, processes: list[str]) -> None:
    (tmp_path / "test_a.py").write_text(TESTS.format(count=4, body="assert True"))
    run = _run(tmp_path, processes=processes)
    assert (run.returncode, "4 passed" in run.stdout) == (0, True)


@pytest.mark.full
def test_a_file_alone_runs_in_one_process(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TESTS.format(count=4, body="assert True"))
    assert "4 passed" in _run(tmp_path).stdout


@pytest.mark.full
def test_a_process_that_dies_fails_the_run_and_the_other_one_goes_on(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(TESTS.format(count=3, body="os._exit(1)"))
    (tmp_path / "test_b.py").write_text(TESTS.format(count=3, body="assert True"))
    run = _run(tmp_path)
    assert run.returncode != 0
    assert "test_a.py" in run.stdout
    assert "3 passed" in run.stdout
