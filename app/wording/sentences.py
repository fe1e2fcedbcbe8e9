"""Tables of sentences in English, read in the language of the window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


class Sentences(Mapping[str, str]):
    """Sentences by their codes. They belong to a translation context, and `i18n/update.py` extracts them from here."""

    def __init__(self, context: str, english: Mapping[str, str]) -> None:
        self.context, self.english = context, english

    def __getitem__(self, code: str) -> str:
        return translate(self.context, self.english[code])

    def __iter__(self) -> Iterator[str]:
        return iter(self.english)

    def __len__(self) -> int:
        return len(self.english)
