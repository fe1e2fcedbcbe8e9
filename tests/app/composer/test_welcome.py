"""The page of an empty chat, by what a person sees of it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from app.composer.welcome import Welcome
from app.widgets.application import Application
from tests.app.conftest import OpenShown
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver

TABLE = "| Planet | Size |\n|---|---|\n| Mars | 6,779 km |\n"


def questions(window: WindowDriver) -> dict[str, QPushButton]:
    """The buttons of the page that can be seen, by their words."""
    return {one.text(): one for one in window.find(Welcome).findChildren(QPushButton) if one.isVisible()}


@pytest.mark.parametrize(
    ("language", "question"),
    [
        pytest.param("en", "Make a table of the planets with their size and distance.", marks=pytest.mark.full),
        ("ko", "행성의 크기와 거리를 표로 정리해 주세요."),
        pytest.param("ja", "惑星の大きさと距離を表にまとめてください。", marks=pytest.mark.full),
        pytest.param("zh_CN", "用表格列出各行星的大小和距离。", marks=pytest.mark.full),
    ],
)
def test_a_click_asks_a_model_for_the_table_that_the_page_suggests(
    open_shown: OpenShown, qapp: Application, language: str, question: str
) -> None:
    window, _, engine = open_shown()
    engine.scripts[:] = [Script(TABLE)]
    qapp.language.choose(language)
    window.wait(lambda: question in questions(window) and questions(window)[question].isEnabled())
    QTest.mouseClick(questions(window)[question], Qt.MouseButton.LeftButton)
    window.wait_until_answered()
    window.settle()
    assert [asked for asked, _ in window.turns] == [question]
    assert engine.requests[-1].messages[-1]["content"] == question
    assert window.shown_text().split() == ["Planet", "Size", "Mars", "6,779", "km"]
    assert not questions(window)
