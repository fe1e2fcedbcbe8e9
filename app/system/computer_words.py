"""The words of the window for a computer that is no Mac. The texts and their translations are written for Macs."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject, QTranslator

_MAC = r"(?<![A-Za-z])Mac(?![A-Za-z-])"
# Korean particles by the last sound of the word before them: 맥 ends in a consonant, 컴퓨터 in a vowel.
_PARTICLES = {"이나": "나", "으로": "로", "은": "는", "이": "가", "을": "를", "과": "와"}
# By language, patterns and what stands in their place.
_RULES = {
    "en": ((r"(?<![A-Za-z])Macs\b", "computers"), (_MAC, "computer"), (r"\bFinder\b", "folder")),
    # No space is between two Japanese or Chinese words.
    "ja": ((f"{_MAC} ?", "コンピュータ"), ("Finder", "フォルダ")),
    "zh_CN": ((f" ?{_MAC} ?", "电脑"), ("访达", "文件夹")),
    "ko": (("Finder", "폴더"),),
}
# Where the key of a Mac is named first.
_KEYS = re.compile(r"Cmd\+Enter ?[(（](Ctrl\+Enter)[)）]")


def without_mac(text: str, code: str) -> str:
    """Return a text of the window in the language `code` in the words for a computer that is no Mac."""
    text = _KEYS.sub(r"\1", text)
    if code == "ko":
        text = re.sub(f"{_MAC}({'|'.join(_PARTICLES)})?", _korean, text)
    for pattern, words in _RULES[code]:
        text = re.sub(pattern, words, text)
    return text


def _korean(match: re.Match[str]) -> str:
    """Return the Korean word for a computer, with the particle that follows a Mac in the form that follows it."""
    particle = match[1]
    return f"컴퓨터{_PARTICLES[particle]}" if particle else "컴퓨터"


class ComputerWords(QTranslator):
    """The translations of a language, in the words for a computer that is no Mac."""

    def __init__(self, code: str, parent: QObject) -> None:
        super().__init__(parent)
        self._code = code

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str | None:
        """Return a text in the words for this computer; None if it has no translation and is right as it is."""
        known = super().translate(context, source, disambiguation, n)
        text = known or source
        worded = without_mac(text, self._code)
        return worded if known or worded != text else None
