"""Tables of sentences in English, read in the language of the window."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


class Sentences(UserDict[str, str]):
    """Sentences by their codes. They belong to a translation context, and `i18n/update.py` extracts them from here."""

    def __init__(self, context: str, english: Mapping[str, str]) -> None:
        super().__init__(english)
        self.context = context

    def __getitem__(self, code: str) -> str:
        return translate(self.context, self.data[code])
