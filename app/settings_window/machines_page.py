"""The page of several Macs: their names and states, the parts of a model, and the switch that joins them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.library.entries import Entry
from app.library.library import Library
from app.session.cluster_service import CHECKING, FETCHING, OFF, ON, STARTING, STOPPING
from app.session.session import Session
from app.settings.declarations import SETTINGS
from app.settings.draft_places import computers
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.widgets.buttons import button
from app.widgets.controls import Chooser
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox
from app.wording.ahead import place_words, why_not_with
from app.wording.errors import error_sentence
from app.wording.machines import check_line, fetch_line, part_line, together_sentence
from app.wording.models import entry_name

_WIDEST_NAME = 360


class MachinesPage(TablePage):
    """Shows the state of the service. Only the button starts a check, because that connects to the other Macs."""

    def __init__(self, library: Library, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("machines", library.settings, parent)
        self._library = library
        self._cluster = session.cluster
        self._models = session.models
        # The path of the model that the person chose; "" for the one in use.
        self._wanted = ""
        self.model = Chooser(self, chosen=self._choose)
        self.model.setMaximumWidth(_WIDEST_NAME)
        self.model_row = self.row(self.model)
        self.check = self.bound("Check", button(self, self._check))
        self.switch = button(self, self._switch)
        self.fetch = self.bound("Download on the other Macs", button(self, self._cluster.fetch))
        buttons = QWidget(self)
        fill(hbox(buttons, margins=(0, 0, 0, 0), spacing=8), self.check, self.switch, self.fetch)
        self.state = self.row(buttons)
        self.draft_there = button(self, self._draft_there)
        self.draft_row = self.row(self.draft_there)
        self.found = self.row(None)
        self._privacy = label(self, "reason-plain", wraps=True)
        self.bound(
            "Over a network, nothing that the Macs exchange is encrypted. Connect them only over a network you trust, "
            "or by Thunderbolt.",
            self._privacy,
        )
        self.add(self._privacy, 16)
        self._cluster.changed.connect(self._show)
        library.settings.subscribe(self._offer_draft)
        library.models_changed.connect(self._list_models)
        self._models.changed.connect(self._choose_loaded)
        self._models.changed.connect(self._offer_draft)
        self.restyle()

    def _entries(self) -> list[Entry]:
        """Return the main models on this computer that are whole; none while they are being listed."""
        inventory = self._library.inventory
        installed = inventory.installed if inventory is not None else ()
        return [model for model in installed if model.complete and not model.head]

    def _choose(self, path: str) -> None:
        self._wanted = path

    def _check(self) -> None:
        self.keep_typed()
        path = self.model.currentData()
        self._cluster.check(Path(path) if path else None, self.settings.values.fit_context)

    def _switch(self) -> None:
        """Start the machines with the chosen model and its draft, or stop what they do."""
        self.keep_typed()
        if self._cluster.state != OFF:
            self._cluster.stop()
            return
        path = self.model.currentData()
        main, draft = self._models.pair.paths
        if main != path or not draft:
            entries = self._entries()
            here = next((entry for entry in entries if entry.path == path), None)
            draft = next((entry.path for entry in entries if here and entry.id == here.draft), None)
        self._cluster.start(path, draft)

    def _draft_there(self) -> None:
        self.settings.change(draft_ahead=computers(self.settings.values)[0])

    def _offer_draft(self) -> None:
        """Offer that the first other machine drafts ahead, while nothing is drafted ahead, or say why none can."""
        names = computers(self.settings.values)
        reason = why_not_with(self._models.pair)
        self.draft_row.set_due(bool(names) and self.settings.values.draft_ahead == "off")
        title = QCoreApplication.translate("Settings", SETTINGS["draft_ahead"].title)
        help_ = self.tr("Another Mac can draft the next round while this Mac's main model checks the current one.")
        self.draft_row.set_words(title, reason or help_)
        self.draft_there.setEnabled(not reason)
        if names:
            self.draft_there.setText(place_words(names[0]))

    def _show(self) -> None:
        """Show what the service does, and what can be done now."""
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
        """List the models to choose from."""
        self.model.clear()
        for entry in self._entries():
            self.model.addItem(entry_name(entry), entry.path)
        self._choose_loaded()
        self._show()

    def _choose_loaded(self) -> None:
        """Select the model in use, unless another one was chosen."""
        self.model.setCurrentIndex(max(0, self.model.findData(self._wanted or self._models.pair.paths[0])))

    def _state_words(self) -> str:
        """Say what the machines do now, or why they do not."""
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
        """Show what the last check found on each machine; nothing before it."""
        findings = self._cluster.findings
        self.found.set_due(findings is not None)
        if findings is None:
            return
        lines = [check_line(check) for check in findings.checks]
        if findings.problem is not None:
            lines.append(error_sentence(findings.problem))
        if findings.plan is not None:
            lines += [part_line(part, findings.plan.split) for part in findings.plan.parts]
        self.found.set_words(self.tr("What the check found"), "\n".join(lines))

    def retranslate(self) -> None:
        super().retranslate()
        self._offer_draft()
        self.model_row.set_words(
            self.tr("Model"),
            self.tr("Splits a model too large for one Mac. Click Check to see what each Mac needs to download."),
        )
        self._list_models()


def build(parts: PageParts) -> MachinesPage:
    """Return the page Multiple Macs."""
    return MachinesPage(parts.library, parts.session)
