"""Every number that steers a choice is explained where it stands and listed in ARCHITECTURE.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.speculation import accept_rates
from engine.speculation.exploring import Retries
from tests.engine.speculation.thresholds import (
    ELSEWHERE,
    NO_CHOICE,
    PACKAGE,
    PLAYED,
    constants,
    defaults_of,
    set_everywhere,
)

ROOT = PACKAGE.parents[1]


def modules() -> list[str]:
    paths: list[Path] = sorted(PACKAGE.rglob("*.py"))
    names = [".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in paths]
    return [name for name in names if not name.endswith("__init__") and constants(name)]


def section() -> str:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return text.split("\n## Thresholds of the depth controller\n")[1].split("\n## ")[0]


def test_it_is_known_of_every_module_whether_its_numbers_steer_a_choice() -> None:
    assert sorted((*PLAYED, *ELSEWHERE, *NO_CHOICE)) == modules()


@pytest.mark.parametrize("module", [*PLAYED, *ELSEWHERE])
def test_every_number_that_steers_a_choice_has_its_reason_above_it(module: str) -> None:
    assert [name for name, (_, why) in constants(module).items() if len(why.split()) < 3] == []


def test_every_number_that_steers_a_choice_is_listed() -> None:
    listed = re.findall(r"`([A-Z][A-Z_]+)`", section())
    steering = {name for module in (*PLAYED, *ELSEWHERE) for name in constants(module)}
    assert sorted(steering - set(listed)) == []
    assert sorted(set(listed) - steering) == []


def test_a_threshold_that_is_a_default_is_changed_there_too() -> None:
    before = Retries().interval
    set_everywhere("FIRST_RETRY", 3)
    try:
        assert Retries().interval == 3
        assert Retries().since == 3
    finally:
        set_everywhere("FIRST_RETRY", before)
    assert Retries().interval == before


def test_the_default_of_a_named_tuple_is_changed_too() -> None:
    before = accept_rates.PRIOR_WEIGHT
    [makes_a_level] = [
        function for function, _ in defaults_of(accept_rates, "PRIOR_WEIGHT") if function.__name__ == "__new__"
    ]
    unchanged = makes_a_level.__defaults__
    set_everywhere("PRIOR_WEIGHT", 5.0)
    try:
        assert makes_a_level.__defaults__ == (5.0, False)
    finally:
        set_everywhere("PRIOR_WEIGHT", before)
    assert makes_a_level.__defaults__ == unchanged
