"""What the app paints itself looks as before: small pictures without text, compared with those in `pictures/`.

After an intended change, this replaces the pictures; check those that git reports as changed:

    TANDEM_REFRESH_PICTURES=1 python -m pytest tests/app/test_pictures.py
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from app.session.answer import Answer
from app.speculation.charts import PositionLine, TimeBar
from app.speculation.round_strip import PITCH, RoundStrip
from app.widgets import theme
from app.widgets.application import Application
from app.widgets.badges import Bar
from app.widgets.icons import icon
from tests.app.scripts import PATTERN, Script, ScriptedRound, play

PICTURES = Path(__file__).parent / "pictures"
# Antialiased edges differ slightly between versions of Qt and processors; a cell of the strip is 0.6 % of its picture.
CHANNEL, SHARE = 32, 0.003
ICONS = ("plus", "archive", "settings", "chevron-left")
ICON = 32


def answer_of(pattern: Sequence[ScriptedRound] = PATTERN) -> Answer:
    answer = Answer()
    answer.apply(play(Script("one two three four five six seven eight nine ten " * 6, pattern)))
    return answer


def painted(view: QWidget, width: int, height: int, hidden: QPoint = QPoint()) -> QImage:  # noqa: B008
    """Paint a view of this size with a pixel ratio of 1, without its last `hidden` columns and rows."""
    view.resize(width, height)
    part = QRect(0, 0, width - hidden.x(), height - hidden.y())
    image = QImage(part.size(), QImage.Format.Format_RGB888)
    image.fill(QColor(theme.colours().panel))
    view.render(image, QPoint(), QRegion(part), QWidget.RenderFlag.DrawChildren)
    return image


def strip(pattern: Sequence[ScriptedRound] = PATTERN) -> QImage:
    view = RoundStrip()
    view.show_answer(answer_of(pattern))
    return painted(view, 10 * PITCH, 9 * PITCH)


def acceptance() -> QImage:
    view = PositionLine()
    view.show_stats(answer_of().stats)
    return painted(view, 200, 60, QPoint(0, PositionLine.LABEL))


def time_bar() -> QImage:
    view = TimeBar()
    view.show_stats(answer_of().stats)
    return painted(view, 200, 12)


def fit_bar() -> QImage:
    view = Bar()
    view.show_parts(((0.4, "main"), (0.2, "draft"), (0.1, "lookup")), "")
    return painted(view, 200, view.height())


def icons() -> QImage:
    image = QImage(len(ICONS) * ICON, ICON, QImage.Format.Format_RGB888)
    image.fill(QColor(theme.colours().panel))
    with QPainter(image) as painter:
        for column, name in enumerate(ICONS):
            icon(name, "text").paint(painter, QRect(column * ICON, 0, ICON, ICON))
    return image


DRAWN: dict[str, Callable[[], QImage]] = {
    "strip": strip,
    "acceptance": acceptance,
    "time": time_bar,
    "fit": fit_bar,
    "icons": icons,
}


def pixels(image: QImage) -> np.ndarray:
    """int16 (height, width, 3)."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(np.int16)


def differs(first: QImage, second: QImage) -> bool:
    if first.size() != second.size():
        return True
    off = np.abs(pixels(first) - pixels(second)).max(axis=2) > CHANNEL
    return bool(off.mean() > SHARE)


@pytest.mark.parametrize("mode", ["light", pytest.param("dark", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", DRAWN)
def test_what_is_painted_looks_as_before(qapp: Application, tmp_path: Path, name: str, mode: str) -> None:
    qapp.theme.set_mode(mode)
    stored, new = PICTURES / f"{name}-{mode}.png", DRAWN[name]()
    if os.environ.get("TANDEM_REFRESH_PICTURES"):
        PICTURES.mkdir(exist_ok=True)
        assert new.save(str(stored))
    seen = tmp_path / stored.name
    new.save(str(seen))
    assert not differs(new, QImage(str(stored))), f"{seen} is not {stored}"


def test_another_round_or_theme_is_a_difference(qapp: Application) -> None:
    before = {name: draw() for name, draw in DRAWN.items()}
    other = (PATTERN[0], ScriptedRound(4, 3), *PATTERN[2:])
    assert differs(strip(other), before["strip"])
    assert not differs(strip(), before["strip"])
    qapp.theme.set_mode("dark")
    assert all(differs(draw(), before[name]) for name, draw in DRAWN.items())
