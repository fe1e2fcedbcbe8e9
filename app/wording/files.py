"""Words for files that cannot be read."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from app.conversations.projects import Source
from app.session.project_files import MOST_FILES
from app.wording.figures import number
from app.wording.sentences import Sentences

translate = QCoreApplication.translate

_REASONS = Sentences(
    "Files",
    {
        "gone": "no longer there",
        "too-many": "more than {count} files",
        "too-large": "too large for any model's context",
        "unreadable": "cannot be read",
        "not-text": "not text",
        "picture": "a picture",
        "unknown-encoding": "unknown text encoding",
        "encrypted": "password-protected",
        "damaged": "damaged",
        "no-text": "only images",
    },
)


def not_added(name: str, reason: str) -> str:
    """Say why a file or a folder of the disk is not added."""
    return translate("Files", "{name} was not added: {reason}.").format(name=name, reason=_words(reason))


def source_problems(source: Source) -> list[str]:
    """Say what of a file or a folder of the disk could not be read, in a sentence for each kind of problem."""
    found = []
    if source.problem:
        words = translate("Files", "Could not be read again: {reason}. Chats begin with the text from before.")
        found.append(words.format(reason=_words(source.problem)))
    unread = [f"{file.name} ({_words(file.problem)})" for file in source.files if file.problem]
    if unread:
        found.append(translate("Files", "Not read: {files}").format(files=QLocale().createSeparatedList(unread)))
    return found


def _words(reason: str) -> str:
    return _REASONS[reason].format(count=number(MOST_FILES, 0))
