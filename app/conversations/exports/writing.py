"""Writes exports to disk, whole files or nothing, and uses the store's thread for one chat at a time."""

from __future__ import annotations

import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from app.conversations.database import store_files
from app.conversations.exports.json_format import conversation_as_object, document
from app.conversations.exports.labels import Labels
from app.conversations.exports.markdown import as_markdown
from app.conversations.store import ConversationStore
from app.text.picture_data import kind_of_picture
from engine.files.atomic_file import write_atomically

Result = TypeVar("Result")

JSON = "json"
MARKDOWN = "markdown"
HTML = "html"
PDF = "pdf"
ZIP = "zip"
SUFFIXES = {MARKDOWN: ".md", HTML: ".html", JSON: ".json", PDF: ".pdf", ZIP: ".zip"}
# The access of files for their owner only.
_PRIVATE = 0o600
# The access of files for everybody whom the process's mask allows.
_SHARED = 0o666
_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
# Bytes: file systems stop at 255, and a number and a suffix must still fit.
_LONGEST_NAME = 200


class StoreRunner(Protocol):
    """Runs an operation on the store's thread and returns its result."""

    def __call__(self, operation: Callable[[ConversationStore], Result]) -> Result: ...


def write_json(run: StoreRunner, conversation_ids: Sequence[int], path: Path, *, private: bool = True) -> None:
    """Write chats into one JSON file, which only its owner may read if it is `private`.

    Call it on a thread that may wait. Raises OSError, and leaves no file then; raises NotFound if a chat is gone.
    """
    exported_at = run(lambda store: store.database.clock())

    def objects() -> Iterator[dict[str, Any]]:
        for identity in conversation_ids:
            yield run(partial(conversation_as_object, conversation_id=identity))

    pieces = (piece.encode() for piece in document(objects(), exported_at))
    write_atomically(path, pieces, mode=_PRIVATE if private else _SHARED)


def write_text(
    run: StoreRunner, conversation_id: int, path: Path, form: str, labels: Labels, *, private: bool = True
) -> None:
    """Write one chat as MARKDOWN, with a folder of its pictures next to it, or as HTML. Else like `write_json`."""
    # It imports a Markdown parser, which would delay the window's start.
    from app.conversations.exports.html import as_html

    mode = _PRIVATE if private else _SHARED
    conversation, messages = run(
        lambda store: (store.conversations.get(conversation_id), store.messages.path(conversation_id))
    )
    pictures = run(lambda store: store.pictures.of(messages))
    if form == HTML:
        text = as_html(conversation, messages, labels, pictures)
    else:
        files = {digest: f"{digest[:16]}.{kind_of_picture(content)}" for digest, content in pictures.items()}
        folder = path.with_suffix("")
        for digest, content in pictures.items():
            write_atomically(folder / files[digest], content, mode=mode)
        addresses = {digest: quote(f"{folder.name}/{name}") for digest, name in files.items()}
        text = as_markdown(conversation, messages, labels, addresses)
    write_atomically(path, text.encode(), mode=mode)


def write_folder(run: StoreRunner, conversation_ids: Iterable[int], folder: Path, form: str, labels: Labels) -> None:
    """Write each chat into a file named after its title, in an existing folder. Overwrites nothing.

    `form` is MARKDOWN or HTML. Raises OSError, and then leaves the files that are written.
    """
    for identity in conversation_ids:
        title = run(partial(lambda store, chat: store.conversations.get(chat).title, chat=identity))
        path = free_name(folder, title or labels.untitled, SUFFIXES[form])
        write_text(run, identity, path, form, labels)


def write_zip(run: StoreRunner, conversation_ids: Iterable[int], path: Path, labels: Labels) -> None:
    """Write each chat as MARKDOWN into a ZIP file that only its owner may read. Otherwise like `write_json`."""
    with TemporaryDirectory(dir=path.parent) as folder:
        chats = Path(folder) / "chats"
        chats.mkdir()
        write_folder(run, conversation_ids, chats, MARKDOWN, labels)
        archive = Path(shutil.make_archive(f"{folder}/archive", "zip", chats))
        archive.chmod(_PRIVATE)
        archive.replace(path)


def free_name(folder: Path, title: str, suffix: str) -> Path:
    """Return a path in `folder` that does not exist yet, named after `title` as far as file systems allow."""
    name = " ".join(_UNFIT.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(" .") or "chat"
    name = name.encode()[:_LONGEST_NAME].decode(errors="ignore").rstrip(" .")
    return store_files.free_name(folder / f"{name}{suffix}")
