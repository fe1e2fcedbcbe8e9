"""The page of several Macs: their names and states, the division of a model, and the switch that joins them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QPushButton, QWidget

from app.library.entries import Entry
from app.library.library import Library
from app.session.cluster_service import CHECKING, FETCHING, OFF, ON, STARTING, STOPPING
from app.session.session import Session
from app.settings_window.table_page import TablePage
from app.widgets.badges import Bar
from app.widgets.controls import Chooser
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.wording.errors import error_sentence
from app.wording.machines import check_line, fetch_line, memory_line, place_line, together_sentence
from app.wording.models import entry_name
from engine.cluster.plan import RankPart

_WIDEST_NAME = 280


class PartView(QWidget):
    """The part of the model and the use of memory on one Mac, as bars and in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place, self.memory = label(self, "muted", wraps=True), label(self, "muted", wraps=True)
        self._bars = Bar(self), Bar(self)
        line = hbox(self, margins=(0, 8, 0, 0), spacing=24)
        for words, bar in zip((self.place, self.memory), self._bars, strict=True):
            line.addLayout(fill(vbox(margins=(0, 0, 0, 0), spacing=4), words, 1, bar), 1)

    def show_part(self, part: RankPart, split: str, total: int, largest: int) -> None:
        """Show a part of `total` layers or heads; `largest` bytes fill a bar if the Mac's memory is unknown."""
        place, memory = place_line(part, split), memory_line(part)
        self.place.setText(place)
        self.memory.setText(memory)
        first, end = _lies(part, split)
        self._bars[0].show_parts([(first / total, "selection"), ((end - first) / total, "main")], place)
        whole = max(1, part.free_bytes or largest)
        weights, needed = part.weight_bytes / whole, part.needed_bytes / whole
        shares = [(1.0, "problem")] if part.fits is False else [(weights, "main"), (needed - weights, "rejected")]
        self._bars[1].show_parts(shares, memory)


def _lies(part: RankPart, split: str) -> tuple[int, int]:
    return part.layers if split == "pipeline" else part.heads


class MachinesPage(TablePage):
    """Shows the state of the service. Only the button starts a check, because that connects to the other Macs."""

    def __init__(self, title: str, library: Library, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("machines", title, library.settings, parent)
        self._library, self._cluster, self._models = library, session.cluster, session.models
        self._wanted = ""
        self.model = Chooser(self, chosen=self._choose)
        self.model.setMaximumWidth(_WIDEST_NAME)
        self.model_row = self.row(self.model)
        self.check, self.switch, self.fetch = (styled(QPushButton(self), "button") for _ in range(3))
        self.bound("Check", self.check).clicked.connect(self._check)
        self.switch.clicked.connect(self._switch)
        self.bound("Download on the other Macs", self.fetch).clicked.connect(self._cluster.fetch)
        buttons = QWidget(self)
        fill(hbox(buttons, margins=(0, 0, 0, 0), spacing=8), self.check, self.switch, self.fetch)
        self.state = self.row(buttons)
        self.found = self.row(None)
        self._parts = QWidget(self)
        self._parts_column = vbox(self._parts, margins=(0, 0, 0, 0), spacing=2)
        self._views: list[PartView] = []
        self.add(self._parts)
        self._privacy = label(self, "reason-plain", wraps=True)
        self.bound(
            "Over a network, nothing that the Macs exchange is encrypted. Connect them only over a network you trust, "
            "or by Thunderbolt.",
            self._privacy,
        )
        self.add(self._privacy, 16)
        self._cluster.changed.connect(self._show)
        library.models_changed.connect(self._list_models)
        self._models.changed.connect(self._choose_loaded)
        self.restyle()

    def _entries(self) -> list[Entry]:
        inventory = self._library.inventory
        return [one for one in inventory.installed if one.complete and not one.head] if inventory is not None else []

    def _choose(self, path: str) -> None:
        self._wanted = path

    def _check(self) -> None:
        self.keep_typed()
        path = self.model.currentData()
        self._cluster.check(Path(path) if path else None, self.settings.values.fit_context)

    def _switch(self) -> None:
        self.keep_typed()
        if self._cluster.state != OFF:
            self._cluster.stop()
            return
        path, (main, draft) = self.model.currentData(), self._models.pair.paths
        if main != path or not draft:
            entries = self._entries()
            here = next((one for one in entries if one.path == path), None)
            draft = next((one.path for one in entries if here and one.id == here.draft), None)
        self._cluster.start(path, draft)

    def _show(self) -> None:
        state = self._cluster.state
        self.model.setEnabled(state == OFF)
        self.check.setEnabled(state == OFF and self._cluster.named)
        startable = state == OFF and self._cluster.named and self.model.count() > 0
        self.switch.setEnabled(startable or state in (FETCHING, STARTING, ON))
        self.switch.setText(self.tr("Start") if state in (OFF, CHECKING) else self.tr("Stop"))
        self.fetch.setVisible(state == OFF and self._cluster.can_fetch)
        self.state.set_words(self.tr("Status"), self._state_words())
        self._show_findings()

    def _list_models(self) -> None:
        self.model.clear()
        for entry in self._entries():
            self.model.addItem(entry_name(entry), entry.path)
        self._choose_loaded()
        self._show()

    def _choose_loaded(self) -> None:
        """Select the model in use, unless another one was chosen."""
        self.model.setCurrentIndex(max(0, self.model.findData(self._wanted or self._models.pair.paths[0])))

    def _state_words(self) -> str:
        cluster = self._cluster
        if cluster.state == OFF and cluster.problem is not None:
            return error_sentence(cluster.problem)
        if cluster.state == ON:
            return together_sentence(cluster.hosts)
        if cluster.state == FETCHING and cluster.fetched:
            return "\n".join(fetch_line(host, *count) for host, count in sorted(cluster.fetched.items()))
        words = {
            FETCHING: self.tr("Downloading on the other Macs…"),
            CHECKING: self.tr("Checking the Macs…"),
            STARTING: self.tr("Starting the Macs…"),
            STOPPING: self.tr("Stopping…"),
        }
        off = self.tr("Running on this Mac only.") if cluster.named else self.tr("Enter another Mac first.")
        return words.get(cluster.state, off)

    def _show_findings(self) -> None:
        found = self._cluster.findings
        for view in self._views:
            self._parts_column.removeWidget(view)
            # Otherwise it is visible over its successor until it is deleted.
            view.hide()
            view.deleteLater()
        self._views = []
        self.found.set_due(found is not None)
        self._parts.setVisible(found is not None and found.plan is not None)
        if found is None:
            return
        lines = [check_line(check) for check in found.checks]
        if found.problem is not None:
            lines.append(error_sentence(found.problem))
        self.found.set_words(self.tr("What the check found"), "\n".join(lines))
        if found.plan is not None:
            split, parts = found.plan.split, found.plan.parts
            largest = max(part.needed_bytes for part in parts)
            total = max(1, *(_lies(part, split)[1] for part in parts))
            for part in parts:
                view = PartView(self._parts)
                view.show_part(part, split, total, largest)
                self._parts_column.addWidget(view)
                self._views.append(view)

    def retranslate(self) -> None:
        super().retranslate()
        self.model_row.set_words(
            self.tr("Model"),
            self.tr("Splits a model too large for one Mac. Click Check to see what each Mac needs to download."),
        )
        self._list_models()
