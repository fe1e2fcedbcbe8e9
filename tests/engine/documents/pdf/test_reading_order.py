"""Lines of a picture are read as a person reads them: columns one after another, and tables by their rows."""

from __future__ import annotations

from engine.documents.pdf.reading_order import PlacedLine, paragraphs_of


def line(words: str, left: float, top: float, width: float = 200, height: float = 10) -> PlacedLine:
    return PlacedLine(words, 100, left, top, width, height)


def text_of(lines: list[PlacedLine]) -> str:
    """Return the words with a bar between those of a row."""
    paragraphs = (["|".join(line.words for line in row) for row in rows] for rows in paragraphs_of(lines))
    return "\n\n".join("\n".join(rows) for rows in paragraphs)


def test_columns_of_text_are_read_one_after_another_between_what_goes_across() -> None:
    title, foot = line("title", 0, 0, 420), line("foot", 0, 100, 420)
    left = [line(f"l{number}", 0, 30 + 12 * number) for number in range(4)]
    right = [line(f"r{number}", 220, 30 + 12 * number) for number in range(4)]
    interleaved = [both for pair in zip(right, left, strict=True) for both in pair]
    expected = "title\n\nl0\nl1\nl2\nl3\n\nr0\nr1\nr2\nr3\n\nfoot"
    assert text_of([foot, *interleaved, title]) == expected


def test_a_table_is_read_by_its_rows_though_their_lines_are_not_at_one_height() -> None:
    cells = [line(f"a{row}", 0, 12 * row, 50) for row in range(5)]
    cells += [line(f"b{row}", 300, 12 * row + 3, 50) for row in range(5)]
    assert text_of(cells) == "a0|b0\na1|b1\na2|b2\na3|b3\na4|b4"


def test_a_gap_ends_a_paragraph() -> None:
    assert text_of([line("c", 0, 60), line("b", 0, 12), line("a", 0, 0)]) == "a\nb\n\nc"
    assert paragraphs_of([]) == []
