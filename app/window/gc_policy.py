"""How the window shares Python with the engine's thread: the lock that both need, and the collector that stops both.

The thread that wants Python's lock while another computes asks for it only after the switch interval; at the default
of 5 ms a round of a fast model would wait longer than it takes. And a collection of all garbage goes over every object
of the process, some 60 ms with the engine's libraries in it, on whichever thread happens to set it off: here it is Qt's
thread that collects, which alone may delete what belongs to Qt, and thoroughly only while no answer is being written.
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from app.session.session import Session

SWITCH_S = 0.0005
_LOOK_MS = 1000
# New objects that are worth a look at the youngest, at all of them between answers, and at all of them in any case: of
# an answer that goes on for hours, too, no garbage may pile up.
_YOUNG, _MANY, _TOO_MANY = 2_000, 20_000, 500_000


class GcPolicy(QObject):
    """In force from its making until `close`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._switch_before, self._young, self._since_full = sys.getswitchinterval(), 0, 0
        self._frozen = False
        sys.setswitchinterval(SWITCH_S)
        gc.disable()
        session.models.changed.connect(self._models_changed)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect what is worth it now."""
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
        """What has been imported by the time that a model is there stays for good: no collection looks at it again.

        Later, when others have come or gone, a few objects that are left over could hold much memory.
        """
        pair = self._session.models.pair
        if not self._frozen and pair.main is not None:
            self._frozen = True
            gc.freeze()
        elif self._frozen and not pair.loading and self._session.answers.quiet:
            self._collect_all()

    def close(self) -> None:
        """Leave Python as it was."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
        sys.setswitchinterval(self._switch_before)
