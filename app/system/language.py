"""The language of the window, chosen by the system or the user. It can change while the window is open."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal

from app.system.computer_words import ComputerWords
from app.system.paths import translations

log = logging.getLogger(__name__)

# The name of each language in that language.
LANGUAGES = {"en": "English", "ko": "한국어", "ja": "日本語", "zh_CN": "简体中文"}


def best_language(wanted: list[str]) -> str:
    """Return the first available language of a list of preferences ("zh-Hans-CN", "ko-KR"); English if none is."""
    for name in wanted:
        parts = name.replace("_", "-").split("-")
        if parts[0] == "zh" and not {"TW", "HK", "MO", "Hant"} & set(parts):
            return "zh_CN"
        if parts[0] in LANGUAGES:
            return parts[0]
    return "en"


class Language(QObject):
    """Installs translators. `choice` is "system" or a key of LANGUAGES, `code` the language that is shown.

    `of_mac` says whether the window speaks of a Mac, or of a computer.
    """

    changed = Signal()
    of_mac = sys.platform == "darwin"

    def __init__(self, application: QCoreApplication) -> None:
        super().__init__(application)
        self._application = application
        self._translators: list[QTranslator] = []
        self.choice = "system"
        self.code = "en"

    def choose(self, choice: str) -> None:
        """Change to `choice`. Every widget gets a LanguageChange event."""
        self.choice = choice
        self.code = best_language(QLocale.system().uiLanguages()) if choice == "system" else choice
        system = QLocale.system()
        # Without a locale, Qt's is C, which writes numbers and dates as programs read them.
        is_set = choice == "system" and system.language() != QLocale.Language.C
        QLocale.setDefault(system if is_set else QLocale(self.code))
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = []
        qt_folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        own_file = translations() / f"tandem_{self.code}.qm"
        for file in (qt_folder / f"qtbase_{self.code}.qm", own_file):
            is_own = file == own_file
            translator = ComputerWords(self.code, self) if is_own and not self.of_mac else QTranslator(self)
            if translator.load(str(file)):
                self._application.installTranslator(translator)
                self._translators.append(translator)
            elif is_own:
                log.warning("%s cannot be loaded; python i18n/compile.py makes it", file)
        self.changed.emit()
