"""How strong the tints of an answer are: full while it streams, then fading, unless they are to stay."""

from __future__ import annotations

from PySide6.QtCore import QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QWidget

from app.transcript.tints.tints import AnswerTints
from app.widgets.motion import animation_ms
from app.widgets.throttle import single_shot

# Milliseconds from the end of an answer to when its tints begin to fade.
_STAYS_MS = 2000
# How much longer than other animations of the desktop the tints take to fade.
_SLOWLY = 3


class TintFade(QObject):
    """Sets the strength of an answer's tints. `changed` is emitted when they have to be painted again."""

    changed = Signal()

    def __init__(self, tints: AnswerTints, parent: QWidget) -> None:
        super().__init__(parent)
        self._tints = tints
        self._has_streamed = False
        self._followed = (False, False)
        self._stay_timer = single_shot(self, self._fade, _STAYS_MS)
        self._animation = QVariantAnimation(self, startValue=1.0, endValue=0.0)
        self._animation.valueChanged.connect(self._set_strength)
        self._animation.setDuration(_SLOWLY * animation_ms(parent))

    def follow(self, *, streams: bool, stay: bool) -> None:
        """Take whether the answer streams now, and whether its tints are to stay."""
        if (streams, stay) == self._followed:
            return
        self._followed = streams, stay
        if streams or stay:
            self._stay_timer.stop()
            self._animation.stop()
            self._set_strength(1.0)
        elif self._has_streamed and not self._is_fading:
            self._stay_timer.start()
        elif not self._is_fading:
            self._set_strength(0.0)
        self._has_streamed = streams

    @property
    def _is_fading(self) -> bool:
        return self._stay_timer.isActive() or self._animation.state() is QVariantAnimation.State.Running

    def _fade(self) -> None:
        self._animation.start()

    def _set_strength(self, strength: float) -> None:
        if strength != self._tints.strength:
            self._tints.strength = strength
            self.changed.emit()
