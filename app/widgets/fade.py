"""Fades in what appears, so that the eye sees where it comes from."""

from __future__ import annotations

from PySide6.QtCore import QAbstractAnimation, QPropertyAnimation
from PySide6.QtWidgets import QGraphicsOpacityEffect, QStyle, QWidget

# Long enough to be seen as one movement, too short to wait for.
_FADE_MS = 150


def fade_in(widget: QWidget) -> None:
    """Let a widget that was just shown appear, or show it at once where the system has turned animations off."""
    duration = min(_FADE_MS, widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, widget))
    if duration <= 0 or not widget.isVisible():
        return
    effect = QGraphicsOpacityEffect(widget)
    widget.setGraphicsEffect(effect)
    animation = QPropertyAnimation(effect, b"opacity", widget)
    animation.setDuration(duration)
    animation.setStartValue(0.0)
    animation.setEndValue(1.0)
    # The effect would slow down every later paint.
    animation.finished.connect(lambda: widget.setGraphicsEffect(None))  # type: ignore[arg-type]
    animation.start(QAbstractAnimation.DeletionPolicy.DeleteWhenStopped)
