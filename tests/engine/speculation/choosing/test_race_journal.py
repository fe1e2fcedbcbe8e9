"""A race of kernels that does not end is left out once, and for good if that happens again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engine.files.kept_json import KeptJson
from engine.speculation.choosing.race_journal import MOST, NAME, RaceJournal

STAMP = {"machine": "M4, macOS 26.1"}


class Mac:
    """Runs of the program with one file; `run` is a race that ends, and says whether it began."""

    def __init__(self, folder: Path) -> None:
        self.path, self._copy = folder / "learned.json", folder / "copy.json"

    def start(self) -> RaceJournal:
        return RaceJournal(KeptJson(self.path, STAMP))

    def hang(self, journal: RaceJournal, kernel: str = "products") -> None:
        """Begin a race, in which the power button is all that helps."""
        with journal.race(kernel):
            shutil.copy(self.path, self._copy)
        shutil.copy(self._copy, self.path)


@pytest.fixture
def mac(tmp_path: Path) -> Mac:
    return Mac(tmp_path)


def test_a_race_that_ends_or_is_stopped_leaves_no_trace(mac: Mac) -> None:
    journal = mac.start()
    with journal.race("products"):
        pass
    for _ in range(MOST):
        with pytest.raises(GeneratorExit), journal.race("attention"):
            raise GeneratorExit
    assert NAME not in json.loads(mac.path.read_text())["values"]
    assert not any(journal.leaves_out(kernel) for kernel in ("products", "attention"))
    assert not mac.start().leaves_out("attention")


@pytest.mark.expects_log
def test_a_mac_hangs_twice_at_most(mac: Mac) -> None:
    left_out, again = [], []
    for _ in range(6):
        journal = mac.start()
        # Whatever other models are loaded in the same run.
        left_out.append([journal.leaves_out("products") for _ in range(2)])
        again.append(journal.tries_again)
        assert not journal.leaves_out("attention")
        if not left_out[-1][0]:
            mac.hang(journal)
    assert left_out == [[out] * 2 for out in (False, True, False, True, True, True)]
    assert again == [False, True, False, False, False, False]


@pytest.mark.expects_log
def test_a_race_that_ends_at_the_second_try_is_run_again(mac: Mac) -> None:
    mac.hang(mac.start())
    assert mac.start().leaves_out("products")
    journal = mac.start()
    with journal.race("products"):
        pass
    assert not mac.start().leaves_out("products")


@pytest.mark.expects_log
def test_a_race_that_raises_is_not_run_again_in_this_run_and_the_next(mac: Mac) -> None:
    for _ in range(MOST):
        journal = mac.start()
        with pytest.raises(RuntimeError), journal.race("products"):
            raise RuntimeError("[METAL] GPU Timeout Error")
        assert journal.leaves_out("products")
        assert [problem.why for problem in journal.problems] == ["unfinished"]
        assert mac.start().leaves_out("products")
    assert mac.start().leaves_out("products")


@pytest.mark.expects_log
def test_another_macos_tries_anew_and_so_does_who_forgets(mac: Mac) -> None:
    for _ in range(MOST):
        mac.hang(mac.start())
    assert mac.start().leaves_out("products")
    assert not RaceJournal(KeptJson(mac.path, {"machine": "M4, macOS 26.2"})).leaves_out("products")
    kept = KeptJson(mac.path, STAMP)
    journal = RaceJournal(kept)
    assert journal.leaves_out("products")
    kept.forget(None)
    journal.forget()
    assert not journal.leaves_out("products")
    assert not mac.start().leaves_out("products")


@pytest.mark.expects_log
@pytest.mark.parametrize("hostile", [[], 1, {"products": 1}, {"products": {"races": 0, "skip": True}}, None])
def test_what_makes_no_sense_is_dropped(mac: Mac, hostile: object) -> None:
    mac.path.write_text(json.dumps(STAMP | {"values": {NAME: hostile}}))
    journal = mac.start()
    assert not journal.leaves_out("products")
    mac.hang(journal)
    assert mac.start().leaves_out("products")
