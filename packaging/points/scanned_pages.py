"""Attach a PDF of pages that are pictures, in each language of the window and in all, and say what Vision finds.

The last line is a JSON object: the share of letters that are `right` by page, and the `seconds` of reading. At least
nine of ten letters of each page have to be right.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from PySide6.QtGui import QFont, QGuiApplication, QImage, QPainter, QPdfWriter

from app.session.attachments import read_attachment
from engine.documents.pdf.vision import vision

Pages = Mapping[str, Sequence[str]]

LANGUAGES: Pages = {
    "en": ["The rent is 1,250 euros a month.", "It is due on the third of March."],
    "ko": ["월세는 한 달에 1,250유로입니다.", "삼월 삼일까지 내야 합니다."],
    "ja": ["家賃は一か月に1,250ユーロです。", "三月三日までに払ってください。"],
    "zh": ["房租每个月一千二百五十欧元。", "请在三月三日之前付款。"],
}
PAGES: Pages = {**LANGUAGES, "all": [lines[0] for lines in LANGUAGES.values()]}
LEAST_RIGHT = 0.9
# In pixels: A4 with 150 dots per inch, its letters, the beginning of its first line, and the distance of lines.
PAGE_SIZE = (1240, 1754)
LETTER_SIZE = 44
LEFT = 120
TOP = 200
LINE_DISTANCE = 90


def main() -> None:
    """Raises AssertionError without Vision, or with the text if too few letters of a page are right."""
    assert vision() is not None, "Vision cannot be loaded"
    # Fonts need one.
    _application = QGuiApplication(["confirm", "-platform", "offscreen"])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scan.pdf")
        write_scan(file, PAGES)
        begun = time.perf_counter()
        text = read_attachment(file).text
        seconds = round(time.perf_counter() - begun, 1)
    shares = {name: share_right(text, number, lines) for number, (name, lines) in enumerate(PAGES.items(), 1)}
    print(json.dumps({"right": shares, "seconds": seconds}))
    assert min(shares.values()) >= LEAST_RIGHT, text


def write_scan(file: Path, pages: Pages) -> None:
    """Write a PDF whose pages are pictures of these lines. Needs a `QGuiApplication`."""
    writer = QPdfWriter(str(file))
    painter = QPainter(writer)
    for number, lines in enumerate(pages.values()):
        if number:
            writer.newPage()
        painter.drawImage(painter.viewport(), picture_of(lines))
    painter.end()


def picture_of(lines: Sequence[str]) -> QImage:
    """Return a picture of a page with these lines."""
    picture = QImage(*PAGE_SIZE, QImage.Format.Format_RGB32)
    picture.fill("white")
    font = QFont()
    font.setPixelSize(LETTER_SIZE)
    painter = QPainter(picture)
    painter.setFont(font)
    for row, line in enumerate(lines):
        painter.drawText(LEFT, TOP + LINE_DISTANCE * row, line)
    painter.end()
    return picture


def share_right(text: str, page: int, lines: Sequence[str]) -> float:
    """Return the share of the lines' letters that the text has on a page, by its number from 1. Spaces do not count."""
    after = text.partition(f"[Page {page}, recognized from a picture")[2].partition("]")[2]
    recognized = "".join(after.partition("[Page")[0].split())
    truth = "".join("".join(lines).split())
    blocks = SequenceMatcher(None, truth, recognized, autojunk=False).get_matching_blocks()
    return round(sum(block.size for block in blocks) / len(truth), 2)


if __name__ == "__main__":
    main()
