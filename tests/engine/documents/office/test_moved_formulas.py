"""A formula that is moved refers to what is as far from its new place."""

from __future__ import annotations

import pytest

from engine.documents.office.moved_formulas import moved_formula


@pytest.mark.parametrize(
    ("formula", "moved"),
    [
        ("A2*$A$1", "B4*$A$1"),
        ("SUM($B2:C$3)", "SUM($B4:D$3)"),
        ("SUM(A:B)+SUM($A:C)", "SUM(B:C)+SUM($A:D)"),
        ("SUM(1:2)+SUM($1:2)", "SUM(3:4)+SUM($1:4)"),
        ("Z1+AZ9+ZZ1", "AA3+BA11+AAA3"),
        ("Data!A1+'A1 of B2'!C3+'It''s'!A1:B2", "Data!B3+'A1 of B2'!D5+'It''s'!B3:C4"),
        ('IF(A1="A1","say ""B2""",B2)', 'IF(B3="A1","say ""B2""",C4)'),
        ("LOG10(A1)+DEC2BIN(B1)+ATAN2(A1,B1)", "LOG10(B3)+DEC2BIN(C3)+ATAN2(B3,C3)"),
        ("Prices[A1]*VAT_A1+Q1.x", "Prices[A1]*VAT_A1+Q1.x"),
        ("XFD1+A1048575+#REF!", "#REF!+#REF!+#REF!"),
        ("1.5E3+A1", "1.5E3+B3"),
    ],
)
def test_what_a_moved_formula_refers_to_moves_with_it(formula: str, moved: str) -> None:
    assert moved_formula(formula, 1, 2) == moved


def test_a_formula_that_is_moved_to_the_left_and_up_may_lose_its_cells() -> None:
    assert moved_formula("AA3+A3+C1+$A3+C$1", -1, -1) == "Z2+#REF!+#REF!+$A2+B$1"
