"""When Python switches threads and collects garbage while the engine's thread and the Qt thread share one interpreter.

A thread that waits for the interpreter lock requests it only after the switch interval; at the default of 5 ms a round
of a fast model would wait longer than it takes. A full collection visits every object of the process, about 60 ms with
the engine's libraries, on whichever thread triggers it. So the Qt thread, which alone may delete Qt objects, runs the
collections, and full ones only while no answer is being written.
"""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer

from app.session.session import Session

SWITCH_S = 0.0005
_INTERVAL_MS = 1000
# New objects that justify collecting the youngest generation, everything between answers, and everything at any time:
# garbage must not pile up during an answer of hours either.
_YOUNG, _MANY, _TOO_MANY = 2_000, 20_000, 500_000


class GcPolicy(QObject):
    """In force from construction until `close`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._switch_before, self._young, self._since_full = sys.getswitchinterval(), 0, 0
        self._frozen = False
        sys.setswitchinterval(SWITCH_S)
        gc.disable()
        session.models.changed.connect(self._models_changed)
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect what the counts justify now."""
        young = gc.get_count()[0]
        self._since_full += max(0, young - self._young)
        if self._since_full >= (_MANY if self._session.answers.quiet else _TOO_MANY):
            self._collect_all()
        elif young >= _YOUNG:
            gc.collect(0)
        self._young = gc.get_count()[0]

    def _collect_all(self) -> None:
        self._since_full = 0
        gc.collect()

    def _models_changed(self) -> None:
        """Exempt everything that exists when the first model is loaded from collection: it stays until the end.

        After later changes of models collect everything, because a few leftover objects could hold much memory.
        """
        pair = self._session.models.pair
        if not self._frozen and pair.main is not None:
            self._frozen = True
            gc.freeze()
        elif self._frozen and not pair.loading and self._session.answers.quiet:
            self._collect_all()

    def close(self) -> None:
        """Restore Python's own settings."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(self._switch_before)
