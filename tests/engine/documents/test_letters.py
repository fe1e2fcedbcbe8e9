"""What is raised is read as "^" where it changes a number, and struck text is between "~~", in every format alike."""

from __future__ import annotations

import pytest

from engine.documents.letters import PLAIN, Letters, Run, marked

UP, OUT = Letters(raised=True), Letters(struck=True)


@pytest.mark.parametrize(
    ("before", "raised", "after", "expected"),
    [
        ("10", "6", " cells", "10^6 cells"),
        ("10", "−9", " M", "10^−9 M"),
        ("10", "0.5", "", "10^0.5"),
        ("10", "12", "m", "10^12m"),
        ("x", "2", "3", "x^(2)3"),
        ("e", "x", "y", "e^(x)y"),
        ("A", "T", "", "A^T"),
        ("Ca", "2+", ".", "Ca^2+."),
        ("y", "n+1", "", "y^(n+1)"),
        ("y", "(n+1)", "", "y^(n+1)"),
        ("2", "10k", "", "2^(10k)"),
        ("e", "-kt", "", "e^(-kt)"),
        ("e", "iωt", "", "e^(iωt)"),
        ("x", "1/2", "", "x^(1/2)"),
        ("m", " 2 ", "x", "m ^2 x"),
        ("1", "st", " of May", "1st of May"),
        ("Tandem", "TM", "", "TandemTM"),
        ("said", "[3]", "", "said[3]"),
        ("price", "*", "", "price*"),
        ("", "2 weeks later", "", "2 weeks later"),
        ("a", "", "b", "ab"),
    ],
)
def test_an_exponent_is_raised_and_other_letters_are_not(before: str, raised: str, after: str, expected: str) -> None:
    assert marked([Run(before), Run(raised, UP), Run(after)]) == expected


@pytest.mark.parametrize(
    ("before", "lowered", "after", "expected"),
    [
        ("H", "2", "O", "H2O"),
        ("101", "2", "", "101_2"),
        ("log", "10", "2", "log_(10)2"),
        ("x", "i", "2", "xi2"),
        ("10", " kg", "", "10 kg"),
        ("1", "2", "3", "1_(2)3"),
    ],
)
def test_lowered_digits_are_no_part_of_a_number(before: str, lowered: str, after: str, expected: str) -> None:
    down = Letters(lowered=True)
    assert marked([Run(before), Run(lowered, down), Run(after)]) == expected
    assert marked([Run("SO"), Run("4", down), Run("2−", UP)]) == "SO4^2−"


def test_runs_that_are_set_alike_share_their_marks() -> None:
    assert marked([Run("10"), Run("-", UP), Run("9", UP), Run(" M")]) == "10^-9 M"
    assert marked([Run("a"), Run(" 1", OUT), Run("", PLAIN), Run("00 ", OUT), Run("b")]) == "a ~~100~~ b"
    assert marked([Run("10", OUT), Run("6", Letters(raised=True, struck=True)), Run("!")]) == "~~10^6~~!"


def test_the_marks_of_struck_text_are_within_its_spaces_and_lines() -> None:
    assert marked([Run("a"), Run(" ", OUT), Run("b")]) == "a b"
    assert marked([Run(" x \n\n y", OUT)]) == " ~~x~~ \n\n ~~y~~"
