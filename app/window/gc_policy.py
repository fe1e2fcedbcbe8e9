"""Decides when Python switches threads and collects garbage while the engine and Qt share one interpreter.

A thread that waits for the interpreter lock requests it only after the switch interval; at the default of 5 ms a round
of a fast model would wait longer than it takes. Python collects on whichever thread allocates, but only the Qt thread
may delete Qt objects, so a timer of that thread collects instead.
"""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer

from app.session.session import Session

SWITCH_S = 0.0005
_INTERVAL_MS = 1000
# The numbers of new objects that justify collecting the youngest generation, and everything.
_YOUNG, _MANY = 2_000, 100_000


class GcPolicy(QObject):
    """Sets the switch interval and replaces automatic collection, from construction until `close`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._models = session.models
        self._switch_before, self._since_full = sys.getswitchinterval(), 0
        self._frozen = False
        sys.setswitchinterval(SWITCH_S)
        gc.disable()
        session.models.changed.connect(self._models_changed)
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the youngest generation, or everything, if there are enough new objects."""
        young = gc.get_count()[0]
        if young < _YOUNG:
            return
        self._since_full += young
        everything = self._since_full >= _MANY
        gc.collect(2 if everything else 0)
        if everything:
            self._since_full = 0

    def _models_changed(self) -> None:
        """Exempt everything that exists when the first model is loaded from collection, since it stays until the end.

        After later changes of models collect everything, because a few leftover objects could hold much memory.
        """
        if not self._frozen and self._models.pair.main is not None:
            self._frozen = True
            gc.freeze()
        elif self._frozen and not self._models.pair.loading:
            gc.collect()

    def close(self) -> None:
        """Restore Python's own settings."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(self._switch_before)
