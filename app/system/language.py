"""The language of the window: follows the system or the user, and changes live.

Translations are Qt Linguist sources in `i18n/`. A package may hold them compiled (`python -m app.language
FOLDER`); from a checkout they are compiled into the user's cache folder the first time they are needed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
from pathlib import Path

import PySide6
from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal

from app.system.paths import cache_folder, translation_sources

log = logging.getLogger(__name__)

# Each language by its own name.
LANGUAGES = {"en": "English", "ko": "한국어", "ja": "日本語", "zh_CN": "简体中文"}


def best_language(wanted: list[str]) -> str:
    """The first of our languages in a list of preferences ("zh-Hans-CN", "ko-KR", ...), English if there is
    none.
    """
    for name in wanted:
        parts = name.replace("_", "-").split("-")
        if parts[0] == "zh" and not {"TW", "HK", "MO", "Hant"} & set(parts):
            return "zh_CN"
        if parts[0] in LANGUAGES:
            return parts[0]
    return "en"


class Language(QObject):
    """The translators in use. `choice` is "system" or one of LANGUAGES, `code` the language that is shown."""

    changed = Signal()

    def __init__(self, application: QCoreApplication) -> None:
        super().__init__(application)
        self._application = application
        self._translators: list[QTranslator] = []
        self.choice = "system"
        self.code = "en"

    def choose(self, choice: str) -> None:
        """Show `choice`. Every widget gets a LanguageChange event."""
        self.choice = choice
        self.code = best_language(QLocale.system().uiLanguages()) if choice == "system" else choice
        QLocale.setDefault(QLocale.system() if choice == "system" else QLocale(self.code))
        for translator in self._translators:
            self._application.removeTranslator(translator)
        self._translators = []
        qt_folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        for file in (qt_folder / f"qtbase_{self.code}.qm", compiled(self.code)):
            translator = QTranslator(self)
            if file is not None and file.is_file() and translator.load(str(file)):
                self._application.installTranslator(translator)
                self._translators.append(translator)
        self.changed.emit()


def compiled(code: str) -> Path | None:
    """The .qm file of a language, compiled first if need be; None (and English) if that cannot be done."""
    source = translation_sources() / f"tandem_{code}.ts"
    shipped = source.with_suffix(".qm")
    if shipped.is_file() and shipped.stat().st_mtime >= source.stat().st_mtime:
        return shipped
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = cache_folder() / "translations" / f"tandem_{code}-{digest}.qm"
    if target.is_file():
        return target
    try:
        compile_translation(source, target)
    except (OSError, subprocess.SubprocessError):
        log.exception("no translation for %s", code)
        return None
    return target


def compile_translation(source: Path, target: Path) -> None:
    """Compile a .ts file; `target` appears whole or not at all.

    Raises `OSError` or `subprocess.SubprocessError` when Qt's compiler is missing or fails.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    tool = Path(PySide6.__file__).parent / ("lrelease.exe" if sys.platform == "win32" else "lrelease")
    subprocess.run(
        [str(tool), "-silent", str(source), "-qm", str(partial)], check=True, capture_output=True, timeout=30
    )
    partial.replace(target)


def main(arguments: list[str]) -> int:
    """Compile every language into a folder, for a package."""
    for source in sorted(translation_sources().glob("tandem_*.ts")):
        compile_translation(source, Path(arguments[0]) / source.with_suffix(".qm").name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
