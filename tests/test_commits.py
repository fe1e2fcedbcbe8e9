"""What the list of commits to look at again sees in a change."""

from __future__ import annotations

import pytest

from tests.tools.commits import Change, may_join_two_things, only_saves_lines, remarks, removed_guards

DOCUMENTED = '''def f(a):
    """Return it.

    Raises `ValueError` without one.
    """
    return g(
        a,
    )
'''


@pytest.mark.parametrize(
    "after",
    ["def f(a):\n    return g(a)\n", 'def f(a):\n    """Return it."""\n    return g(\n        a,\n    )\n'],
    ids=["layout", "docstring"],
)
def test_the_same_code_in_fewer_lines_is_named(after: str) -> None:
    assert list(remarks([Change(DOCUMENTED, after)])) == ["has the same code as before in fewer lines"]


@pytest.mark.parametrize("after", ["def f(a):\n    return g(b)\n", f"{DOCUMENTED}\n\n\n"], ids=["shorter", "longer"])
def test_other_code_or_more_lines_are_not(after: str) -> None:
    assert not only_saves_lines([Change(DOCUMENTED, after)])


def test_a_guard_that_goes_is_named() -> None:
    before = "def cut(self, length):\n    assert length\n    raise AssertionError(f'cannot go back to {length}')\n"
    assert removed_guards([Change(before, "def cut(self, length):\n    pass\n")]) == [
        "assert length",
        "raise AssertionError",
    ]


def test_a_guard_that_moves_to_another_file_or_says_more_is_not() -> None:
    moved = Change("raise ValueError('no')", ""), Change("", "raise ValueError('no, because')")
    assert removed_guards(moved) == []


@pytest.mark.parametrize(
    ("subject", "joins"),
    [
        ("store: mend an index in place", False),
        ("store: mend an index, and back it up first", True),
        ("settings and store: one name for the folder", False),
        ("Mend an index and back it up", True),
    ],
)
def test_a_subject_with_two_changes_is_named(subject: str, joins: bool) -> None:
    assert may_join_two_things(subject) == joins
