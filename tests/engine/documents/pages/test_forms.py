"""Fields of HTML forms and bars are read as they are shown."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("Size <select><option>S<option>M</select> now", "Size S now"),
        ("<select><option>A<option>B<option>A</select>", "A"),
        ("<select><option disabled>Choose<option>B</select>", "B"),
        ("<select><optgroup label=G><option>A</optgroup><option>B</select>", "A"),
        ("<select><option>A<optgroup><option selected>Z</optgroup></select>", "Z"),
        ("<select multiple><option>A<option selected>B<option selected>C</select>", "B\n\nC"),
        ("<select multiple><option>A</select>x", "x"),
        ("<select size=3><option>A<option>B</select>x", "x"),
        ("Done<progress value=70 max=100></progress>now", "Done 70 of 100 now"),
        ("<progress value=70 max=100>70 %</progress>", "70 %"),
        ("Disk <meter value=.6></meter>", "Disk .6 of 1"),
        ("a<progress></progress>", "a"),
        ("a<progress value=3 hidden></progress>", "a"),
    ],
)
def test_fields_and_bars_are_read_as_they_are_shown(page: str, text: str) -> None:
    assert document_text("a.html", page.encode(), 2**20).text == text
