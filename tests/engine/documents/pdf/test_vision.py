"""Pages that are pictures are recognized by macOS's Vision, which is asked in the calling conventions of C."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest
from PIL import Image

from engine.documents.archives import programs
from engine.documents.pdf import scans
from engine.documents.pdf.recognized import NotRecognized
from engine.documents.pdf.vision import Vision, vision
from tests.engine.documents.scanned_pages import scanned
from tests.engine.documents.vision_runtime import ALL, Found, VisionRuntime

TITLE = Found("제목 東京 标题 Title", 1, (0.1, 0.9, 0.8, 0.05))
# Two cells of a row, of which Vision finds the right one first.
PRICE = Found("12.00", 1, (0.7, 0.7, 0.1, 0.02))
ITEM = Found("Tea", 1, (0.1, 0.705, 0.1, 0.02))


def on_a_mac(monkeypatch: pytest.MonkeyPatch, runtime: VisionRuntime) -> None:
    monkeypatch.setattr(scans, "vision", lambda: Vision(runtime))


def test_a_scan_is_recognized_from_top_to_bottom_with_the_cells_of_a_row_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runtime = VisionRuntime({ALL: [PRICE, ITEM, Found("", 1, (0, 0, 1, 1)), TITLE]})
    on_a_mac(monkeypatch, runtime)
    read = scanned((200, 400), rotation=90)
    assert read.text == f"Read.\n\n[Page 2, recognized from a picture]\n\n{TITLE.words}\n\nTea\t12.00"
    assert (read.recognized_pages, read.uncertain_pages, read.left_out) == (1, 0, ())
    assert (runtime.pictures, runtime.performed, runtime.pools) == ([(400, 200)], [ALL], 0)


def test_a_page_is_uncertain_or_not_recognized_by_how_sure_vision_is(monkeypatch: pytest.MonkeyPatch) -> None:
    unusual = Found("Xq-77", 0.5, TITLE.box)
    on_a_mac(monkeypatch, VisionRuntime({ALL: [unusual]}))
    read = scanned((200, 400))
    assert (read.recognized_pages, read.uncertain_pages) == (1, 1)
    noise = Found("і-IEMET.", 0.3, TITLE.box)
    on_a_mac(monkeypatch, VisionRuntime({ALL: [noise]}))
    assert scanned((200, 400)).left_out == (("scanned-page", 1),)


def test_where_vision_takes_a_language_for_another_each_is_tried_and_the_surest_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noise = Found("HE 358 4 92 iiE 47 and much more of this", 0.3, TITLE.box)
    chinese = Found("已浏览", 1, TITLE.box)
    runtime = VisionRuntime({ALL: [noise], ("en-US",): [noise], ("ko-KR",): [PRICE._replace(confidence=0.5)]})
    runtime.found["zh-Hans",] = [chinese, PRICE]
    on_a_mac(monkeypatch, runtime)
    assert scanned((200, 400)).text.endswith("\n\n已浏览\n\n12.00")
    assert runtime.performed == [ALL, *((language,) for language in ALL)]


def test_where_vision_fails_tesseract_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    runtime = VisionRuntime({ALL: [TITLE]})
    runtime.works = False
    on_a_mac(monkeypatch, runtime)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "HOMEBREW", tmp_path)
    asked: list[str] = []
    monkeypatch.setattr(scans, "program_at", lambda name: asked.append(name) or "")
    assert scanned((200, 400), (200, 400)).left_out == (("scanned-page", 2),)
    assert asked[:1] == ["tesseract"]
    # It is not tried again on the next page.
    assert (len(runtime.performed), runtime.pools) == (1, 0)


def test_no_page_is_begun_after_the_time_for_a_file_that_nobody_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_mac(monkeypatch, VisionRuntime({ALL: [TITLE]}))
    monkeypatch.setattr("engine.documents.pdf.document._RECOGNITION_S", -1)
    assert scanned((200, 400)).left_out == (("scanned-page", 1),)


def test_vision_is_there_only_where_macos_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotRecognized):
        Vision(VisionRuntime({}, has_vision=False))
    monkeypatch.setattr(sys, "platform", "linux")
    assert vision() is None
    monkeypatch.setattr(sys, "platform", "darwin")
    loaded: list[str] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda path: loaded.append(path))
    monkeypatch.setattr("engine.documents.pdf.vision.libobjc", lambda: VisionRuntime({}))
    assert vision() is not None
    assert loaded == ["/System/Library/Frameworks/Vision.framework/Vision"]

    def refuse(path: str) -> None:
        raise OSError(path)

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    assert vision() is None


def test_a_picture_is_no_smaller_for_being_looked_at() -> None:
    runtime = VisionRuntime({ALL: [TITLE]})
    (word,) = Vision(runtime).words(Image.new("L", (300, 200)))
    assert (word.letters, word.confidence, runtime.pictures) == (TITLE.words, 100, [(300, 200)])
