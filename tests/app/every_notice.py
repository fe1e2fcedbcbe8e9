"""Every notice of the window: how it comes, words of it, and whether it leaves by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from PySide6.QtGui import QAction

from app.conversations.database.errors import StoreNotWritable, StoreTooNew
from app.conversations.database.schema import LATEST
from app.settings.relocation import MoveRefused
from app.settings.updates import Release
from app.text.file_texts import NotAttachable
from app.window.chat_parts.attachment_reader import AttachmentReader
from engine.computers.errors import ClusterError
from engine.errors import ModelNotUsable
from engine.hub.failures import HubError
from tests.app.shown_library import LARGER, ShownLibrary, downloading
from tests.app.window_driver import WindowDriver

CHATS = Path("/Users/kim/Library/Application Support/Tandem/chats.db")


@dataclass(frozen=True)
class EveryNotice:
    """`tell` makes the notice come; one that `passes` leaves by itself."""

    tell: Callable[[WindowDriver, ShownLibrary], object]
    words: str
    passes: bool = False


def _file(window: WindowDriver, name: str, content: str) -> Path:
    path = window.session.store.path.with_name(name)
    path.write_text(content)
    return path


def _fail_to_import(window: WindowDriver, _library: ShownLibrary) -> None:
    window.import_chats(window.session.store.path.with_name("gone.json"))


def _import_nothing(window: WindowDriver, _library: ShownLibrary) -> None:
    window.import_chats(_file(window, "empty.json", '{"format": "tandem-conversations", "version": 1}'))


def _import_partly(window: WindowDriver, _library: ShownLibrary) -> None:
    window.import_chats(_file(window, "strange.json", "{}"))


def _unsaved(window: WindowDriver, _library: ShownLibrary) -> None:
    window.session.store.unavailable.emit(StoreTooNew(CHATS, LATEST + 1, LATEST))


def _left_behind(window: WindowDriver, _library: ShownLibrary) -> None:
    window.session.store.recovered_store.emit(SimpleNamespace(path=CHATS), 3)


def _fail_to_download(_window: WindowDriver, library: ShownLibrary) -> None:
    library.show(downloading(LARGER))
    library.show(downloading(LARGER, "failed", error=HubError("disk-full", LARGER)))


EVERY_NOTICE = {
    "unsaved": EveryNotice(_unsaved, "this window are not saved"),
    "left behind": EveryNotice(_left_behind, "3 chats from a time"),
    "damaged": EveryNotice(
        lambda window, _: window.notifications.show_damage(Path("chats-damaged-2026-11-23.db")), "was damaged"
    ),
    "store error": EveryNotice(
        lambda window, _: window.session.store.failed.emit(StoreNotWritable("full", "full")), "disk is full"
    ),
    "crowded": EveryNotice(
        lambda window, _: window.session.models.crowded.emit(), "other apps may get slower", passes=True
    ),
    "crash": EveryNotice(lambda window, _: window.notifications.show_crash_report(Path("crash.txt")), "unexpectedly"),
    "old macOS": EveryNotice(lambda window, _: window.notifications.show_old_macos(), "Update to macOS 26.2"),
    "unused accelerators": EveryNotice(
        lambda window, _: window.notifications.show_accelerators(lacks_kernels=True), "SYSTEM_VERSION_COMPAT=0"
    ),
    "error": EveryNotice(lambda window, _: window.notifications.show_error(Path("error.txt")), "unexpected happened"),
    "error without report": EveryNotice(lambda window, _: window.notifications.show_error(None), "could not be saved"),
    "settings": EveryNotice(lambda window, _: window.notifications.show_backup(Path("settings.bak")), "were reset"),
    "not moved": EveryNotice(
        lambda window, _: window.notifications.show_move_refusal(MoveRefused("not-empty")), "Not moved"
    ),
    "restored": EveryNotice(
        lambda window, _: window.notifications.show_restored(Path("chats-before.db")), "chats-before.db"
    ),
    "not restored": EveryNotice(
        lambda window, _: window.notifications.show_restored(OSError("x")), "could not be restored"
    ),
    "model": EveryNotice(
        lambda window, _: window.session.models.failed.emit(ModelNotUsable("models/big", "incomplete", "a.json")),
        "a.json",
    ),
    "machine lost": EveryNotice(
        lambda window, _: window.session.cluster.ended.emit(ClusterError("ended", "studio", "exit code -9")), "studio"
    ),
    "restart": EveryNotice(lambda window, _: window.session.models.restarted.emit(""), "engine stopped"),
    "restart with others": EveryNotice(lambda window, _: window.session.models.restarted.emit("Qwen3 8B"), "twice"),
    "library": EveryNotice(lambda _, library: library.problem.emit(HubError("offline", "x")), "reach Hugging Face"),
    "download failed": EveryNotice(_fail_to_download, "disk"),
    "model ready": EveryNotice(
        lambda _, library: library.settled.emit(downloading(LARGER, "finished")), "is ready", passes=True
    ),
    "picture": EveryNotice(
        lambda window, _: window.find(AttachmentReader).show_reason(NotAttachable("a.bin", "not-text")), "is not a text"
    ),
    "import failed": EveryNotice(_fail_to_import, "gone.json could not be read or written: No such file or directory"),
    "imported in part": EveryNotice(_import_partly, "could not be read"),
    "imported": EveryNotice(_import_nothing, "0 chats imported", passes=True),
    "update": EveryNotice(
        lambda window, _: window.notifications.show_update(
            Release("99.0.0", "https://example.org/99", {}), QAction(window.window)
        ),
        "99.0.0",
    ),
    "no update": EveryNotice(lambda window, _: window.notifications.show_no_update("offline"), "work offline"),
    "newest": EveryNotice(lambda window, _: window.notifications.show_no_update("newest"), "up to date", passes=True),
    "trashed": EveryNotice(lambda window, _: window.notifications.show_trashed("Trips"), "the trash", passes=True),
    "archived": EveryNotice(lambda window, _: window.notifications.show_archived("Trips"), "archived", passes=True),
    "branched": EveryNotice(lambda window, _: window.notifications.show_branched(), "This is a copy", passes=True),
    "messages deleted": EveryNotice(lambda window, _: window.notifications.show_deleted(2), "deleted", passes=True),
}
