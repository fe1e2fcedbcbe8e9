"""`steps_between` turns one list of rows into another."""

from __future__ import annotations

import random

from app.sidebar.row_steps import MOST_STEPS, Insert, Move, Remove, Step, steps_between


def after_steps(before: list[int], after: list[int], steps: list[Step]) -> list[int]:
    rows = list(before)
    for step in steps:
        if isinstance(step, Remove):
            del rows[step.first : step.last + 1]
        elif isinstance(step, Insert):
            rows[step.first : step.first] = after[step.first : step.last + 1]
        else:
            rows.insert(step.target, rows.pop(step.source))
    return rows


def test_any_list_becomes_any_other() -> None:
    chance = random.Random(20)
    for _ in range(500):
        before, after = (chance.sample(range(24), chance.randint(0, 16)) for _ in range(2))
        steps = steps_between(before, after, most=100)
        assert steps is not None
        assert after_steps(before, after, steps) == after


def test_a_row_that_went_elsewhere_is_one_step() -> None:
    assert steps_between("abcde", "eabcd") == [Move(4, 0)]
    assert steps_between("abcde", "bcdea") == [Move(0, 4)]
    assert steps_between("abcde", "acdbe") == [Move(1, 3)]


def test_rows_that_come_or_go_side_by_side_are_one_step() -> None:
    assert steps_between("abcd", "ad") == [Remove(1, 2)]
    assert steps_between("ad", "abcd") == [Insert(1, 2)]
    assert steps_between("ab", "ab") == []


def test_lists_that_have_little_in_common_are_not_taken_apart() -> None:
    rows = list(range(4 * MOST_STEPS))
    assert steps_between(rows, rows[::-1]) is None
    assert steps_between(rows, rows[::2]) is None
