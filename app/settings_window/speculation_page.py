"""The settings of speculation for all pairs and for single pairs, the teaching of the draft, and learned figures."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.session.session import Session
from app.settings.declarations import SETTINGS
from app.settings.pairs import own_settings, with_own, without_own
from app.settings.store import SettingsStore
from app.settings_window.form import Row
from app.settings_window.table_page import TablePage
from app.speculation.forms import SpeculationForm
from app.speculation.learned_section import LearnedSection
from app.speculation.teaching_section import TeachingSection
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.wording.errors import joined
from app.wording.models import pair_name
from app.wording.rounding import same_text_sentence
from engine.tuning import LearnedPair

Key = tuple[str, str]
_WIDEST_FORM = 460


class OwnSettings(QFrame):
    """The settings of one pair, with a button that removes them."""

    def __init__(self, key: Key, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("settingRow")
        self.key = key
        self.name, self.form = label(self, "", wraps=True), SpeculationForm(self)
        self.remove = styled(QPushButton(self), "button")
        self.form.setMaximumWidth(_WIDEST_FORM)
        top = fill(hbox(), (self.name, 1), self.remove)
        fill(vbox(self, margins=(0, 12, 0, 12)), top, self.form)


class SpeculationPage(TablePage):
    """The settings for all pairs, then those of single pairs, the teaching of the draft, then what was learned."""

    def __init__(self, title: str, settings: SettingsStore, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("speculation", title, settings, parent)
        self._session = session
        self.secret = self.secret_row()
        self.secret.typed.connect(lambda secret: session.drafter_secret.keep(secret, self._secret_kept))
        # Whether the typed secret is in the keychain; None before one was typed.
        self._kept: bool | None = None
        self.pairs: list[OwnSettings] = []
        self.add(self.bound("Settings per model pair", label(self, "title")), 24)
        note = label(self, "muted", wraps=True)
        self.add(self.bound("These override the settings above while that pair is loaded.", note), 4)
        body = QWidget(self)
        self._pairs_column = vbox(body, margins=(0, 0, 0, 0), spacing=0)
        self.add(body)
        self._loaded = label(self, "muted", wraps=True)
        self.own = self.bound("Customize", styled(QPushButton(self), "button"))
        self._offer = QWidget(self)
        fill(hbox(self._offer, margins=(0, 12, 0, 0)), (self._loaded, 1), self.own)
        self.add(self._offer)
        self._loaded_pair: LearnedPair | None = None
        self.learned = LearnedSection(session, self)
        self.learned.found.connect(self._take_learned)
        self.teaching = TeachingSection(session, [self._row_of("teach_when_idle")], self)
        self.add(self.teaching, 24)
        self.add(self.learned, 24)
        self.own.clicked.connect(self._give_own)
        session.models.changed.connect(self.show_values)
        self.restyle()

    def _give_own(self) -> None:
        """Give the loaded pair its own settings, which begin as those in effect."""
        main, draft = self._session.models.pair.names
        holds = self._session.settings.defaults.speculation
        self.settings.change(pairs=with_own(self.settings.values, main, draft, holds))

    def _remove(self, key: Key) -> None:
        self.settings.change(pairs=without_own(self.settings.values, *key))

    def _show_pairs(self) -> None:
        values = self.settings.values
        keys = [(row[0], row[1]) for row in values.pairs]
        if keys != [shown.key for shown in self.pairs]:
            for shown in self.pairs:
                self._pairs_column.removeWidget(shown)
                shown.deleteLater()
            self.pairs = [self._own_settings(key) for key in keys]
            self._word_pairs()
        for shown in self.pairs:
            if (chosen := own_settings(values, *shown.key)) is not None:
                shown.form.show_settings(chosen)
        main, draft = self._session.models.pair.names
        self._offer.setVisible(bool(main) and (main, draft) not in keys)
        words = self.tr("{pair} is loaded and uses the settings above.")
        self._loaded.setText(words.format(pair=pair_name(main, draft)))
        self.own.setAccessibleDescription(self._loaded.text())

    def _row_of(self, key: str) -> Row:
        return next(row for row in self.rows if row.control is self.control(key))

    def _secret_kept(self, kept: bool) -> None:
        self._kept = kept
        self._word_secret()

    def _word_secret(self) -> None:
        help_ = {
            None: self.tr(
                "The secret of “tandem drafter serve” on the other computer. Stored only in the system keychain."
            ),
            True: self.tr("Your secret is in the keychain."),
            False: self.tr("This Mac has no keychain that Tandem can use, so the secret is for this run only."),
        }[self._kept]
        self.secret.set_words(self.tr("Secret"), help_)

    def _take_learned(self, pairs: tuple[LearnedPair, ...]) -> None:
        self._loaded_pair = next((pair for pair in pairs if pair.loaded), None)
        self._word_same_text()

    def _word_same_text(self) -> None:
        """Say below the switch what it costs with the loaded pair."""
        setting = SETTINGS["same_text"]
        row = self._row_of(setting.key)
        name, help_ = (QCoreApplication.translate("Settings", text) for text in (setting.title, setting.help))
        row.set_words(name, joined(help_, same_text_sentence(self._loaded_pair)))

    def _own_settings(self, key: Key) -> OwnSettings:
        shown = OwnSettings(key, self)
        shown.remove.clicked.connect(partial(self._remove, key))
        shown.form.chosen.connect(
            lambda chosen: self.settings.change(pairs=with_own(self.settings.values, *key, chosen))
        )
        self._pairs_column.addWidget(shown)
        return shown

    def _word_pairs(self) -> None:
        for shown in self.pairs:
            name = pair_name(*shown.key)
            shown.name.setText(name)
            shown.remove.setText(self.tr("Remove"))
            shown.remove.setAccessibleName(self.tr("Remove the settings of {pair}").format(pair=name))

    def show_values(self) -> None:
        super().show_values()
        drafts_elsewhere = self.settings.values.async_drafter == "remote"
        for row in (self._row_of("drafter_address"), self.secret):
            row.set_due(drafts_elsewhere)
        self._show_pairs()

    def retranslate(self) -> None:
        self._word_pairs()
        super().retranslate()
        self._word_secret()
        self._word_same_text()
