"""Previews of SVG: nothing is loaded for them, whatever they contain, and their limits hold."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot

from app.transcript import preview
from app.transcript.answer_body import AnswerBody
from app.transcript.code_block import CodeBlock
from app.transcript.drawing import BOX, SCALE, safe_svg, svg_image
from app.transcript.preview import LONGEST, picture_of
from tests.app.conftest import Show

pytestmark = pytest.mark.usefixtures("plain_code")

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 99 99">{}</svg>'
RECT = '<rect width="99" height="99" fill="{}"/>'
BLUE, RED = "#0000ff", "#ff0000"
# A billion rectangles, which QtSvg would draw for hours.
BOMB = RECT.format(BLUE).replace("<rect", '<rect id="a0"') + "".join(
    f'<g id="a{level + 1}">' + f'<use xlink:href="#a{level}"/>' * 10 + "</g>" for level in range(9)
)


def colours(image: QImage) -> set[str]:
    """The colours at points all over a picture."""
    xs, ys = range(0, image.width(), 7), range(0, image.height(), 7)
    return {image.pixelColor(x, y).name() for x in xs for y in ys}


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files that would paint a preview red."""
    folder, image = tmp_path_factory.mktemp("red"), QImage(200, 200, QImage.Format.Format_RGB32)
    image.fill(RED)
    assert image.save(str(folder / "red.png"))
    (folder / "red.css").write_text("rect { color: #f00; background: #f00; fill: #f00 }")
    (folder / "red.svg").write_text(SVG.format(RECT.format(RED)))
    return folder


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a server on loopback, and the paths that it was asked for."""
    paths: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

    server = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    thread.join()
    server.server_close()


# In every way that Qt follows, as an address and as a path.
@pytest.mark.parametrize(
    "source",
    [
        SVG.format('<image width="99" height="99" xlink:href="{}/red.png"/>'),
        SVG.format('<image width="99" height="99" href="{}/red.png"/>'),
        SVG.format('<svg:image xmlns:svg="http://www.w3.org/2000/svg" width="9" height="9" href="{}/red.png"/>'),
        SVG.format('<style>@import url("{}/red.css");</style>' + RECT.format(BLUE)),
        '<?xml-stylesheet type="text/css" href="{}/red.css"?>' + SVG.format('<rect width="99" height="99"/>'),
    ],
)
def test_nothing_is_loaded_for_a_preview(
    red: Path, asked: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(red)
    address, paths = asked
    for place in (red.as_uri(), str(red), ".", address):
        assert RED not in colours(svg_image(source.replace("{}", place)))
    assert paths == []


@pytest.mark.parametrize(
    "source",
    [
        '<!DOCTYPE svg [<!ENTITY a "aaaa">]>' + SVG.format("<text>&a;</text>"),
        '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + SVG.format("<text>&a;</text>"),
        SVG.format("<g>"),
        "<p>no drawing</p>",
        "",
    ],
)
def test_what_is_no_safe_svg_is_refused(source: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        svg_image(source)


def test_an_svg_keeps_what_it_refers_to_inside() -> None:
    gradient = f'<linearGradient id="g"><stop stop-color="{BLUE}"/></linearGradient>'
    shown = SVG.format(f'<defs>{gradient}<g id="r">{RECT.format("url(#g)")}</g></defs><use xlink:href="#r"/>')
    assert colours(svg_image(shown)) == {BLUE}
    assert b"script" not in safe_svg(SVG.format("<script>alert(1)</script><g><script/></g>"))


@pytest.mark.parametrize("size", ["1000000000", "1e30", "-5", "NaN", "0", "1"])
def test_a_preview_has_a_bounded_size(size: str) -> None:
    try:
        image = svg_image(f'<svg width="{size}" height="{size}"><rect width="100%" height="100%"/></svg>')
    except ValueError:
        return
    assert 0 < image.width() <= BOX.width() * SCALE
    assert 0 < image.height() <= BOX.height() * SCALE


def test_a_process_draws_the_preview() -> None:
    assert colours(picture_of(SVG.format(RECT.format(BLUE)))) == {BLUE}


def test_what_cannot_be_drawn_within_limits_has_no_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "DRAW_S", 0.5)
    assert picture_of("<svg>").isNull()
    assert picture_of(SVG.format(BOMB)).isNull()


@pytest.mark.parametrize(
    ("source", "language", "closed", "offered"),
    [
        ("<svg/>", "svg", True, "Preview"),
        ("\n<svg/>", "xml", True, "Preview"),
        ("<svg/>", "", True, "Preview"),
        ("<svg/>", "svg", False, ""),
        ("<svg>" + "x" * LONGEST, "svg", True, ""),
        ("<p>", "HTML", True, "Open in the browser…"),
        ("<p>", "html", False, ""),
        ("\n<!DOCTYPE html><p>", "", True, "Open in the browser…"),
        ("graph TD; a-->b", "mermaid", True, ""),
        ("print()", "python", True, ""),
    ],
)
def test_a_complete_drawing_has_a_preview_and_a_complete_page_is_opened(
    show: Show[CodeBlock], source: str, language: str, closed: bool, offered: str
) -> None:
    block = show(CodeBlock())
    block.show_code(source, language, closed)
    shown = [one.text() for one in (block.preview_button, block.page_button) if one.isVisible()]
    assert "".join(shown) == offered


@pytest.fixture
def block(show: Show[CodeBlock], monkeypatch: pytest.MonkeyPatch) -> CodeBlock:
    """A complete block of SVG, which is drawn at once."""
    monkeypatch.setattr(preview, "picture_of", lambda source: svg_image(source) if "bad" not in source else QImage())
    preview.previews().known.clear()
    made = show(CodeBlock())
    made.show_code(SVG.format(RECT.format(BLUE)), "svg", closed=True)
    return made


def picture_in(block: CodeBlock) -> set[str]:
    return colours(block.grab().toImage())


def test_a_press_shows_the_preview_and_another_one_the_code(qtbot: QtBot, block: CodeBlock) -> None:
    grown: list[int] = []
    block.grows.connect(grown.append)
    height = block.sizeHint().height()
    block.preview_button.click()
    qtbot.waitUntil(lambda: block.text_view.isHidden())
    assert BLUE in picture_in(block)
    assert grown == [block.sizeHint().height() - height]
    assert block.preview_button.text() == "Code"
    block.preview_button.click()
    assert not block.text_view.isHidden()
    assert BLUE not in picture_in(block)
    assert block.sizeHint().height() == height


def test_code_that_cannot_be_drawn_stays_and_the_button_says_so(qtbot: QtBot, block: CodeBlock) -> None:
    block.show_code("<svg>bad</svg>", "svg", closed=True)
    block.preview_button.click()
    qtbot.waitUntil(lambda: block.preview_button.text() == "No preview")
    assert not block.preview_button.isEnabled()
    assert not block.text_view.isHidden()


@pytest.mark.parametrize(
    "act",
    [
        lambda block: block.show_code(SVG.format(RECT.format(RED)), "svg", closed=True),
        lambda block: block.text_view.setExtraSelections([QTextEdit.ExtraSelection()]),
    ],
    ids=["continued", "found"],
)
def test_an_answer_that_goes_on_or_has_what_is_searched_shows_the_code_again(
    qtbot: QtBot, block: CodeBlock, act: Callable[[CodeBlock], None]
) -> None:
    block.preview_button.click()
    qtbot.waitUntil(lambda: block.text_view.isHidden())
    block.text_view.setExtraSelections([])
    assert block.text_view.isHidden()
    act(block)
    assert not block.text_view.isHidden()


def test_a_preview_stays_while_it_is_out_of_view(
    qtbot: QtBot, body: AnswerBody, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "picture_of", svg_image)
    body.show_text(f"```svg\n{SVG.format(RECT.format(BLUE))}\n```\n" + "```\ncode\n```\n" * 60, ended=True)
    qtbot.waitUntil(lambda: body.complete)
    body.load_between(0, 300, 10**6)
    block, other, *_ = body.findChildren(CodeBlock)
    block.preview_button.click()
    qtbot.waitUntil(lambda: block.text_view.isHidden())
    body.load_between(20_000, 20_100, 10**6)
    assert not block.isHidden()
    assert other.isHidden()
