"""A store that was killed at any moment opens, is sound, and has everything that was acknowledged."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from app.conversations.database.encoding import attachments_from_json
from app.conversations.database.records import pictures_in
from app.conversations.database.schema import LATEST, version_of
from app.conversations.opening import open_store
from tests.app.conversations.older_versions import write_version
from tests.app.conversations.surviving import must_be_on_disk, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore


@dataclass
class Ledger:
    """What the victims of one store acknowledged."""

    texts: dict[int, str] = field(default_factory=dict)
    chat_of: dict[int, int] = field(default_factory=dict)
    titles: dict[int, str] = field(default_factory=dict)
    trashed: dict[int, bool] = field(default_factory=dict)
    chats: set[int] = field(default_factory=set)
    maybe_purged: set[int] = field(default_factory=set)
    streamed: dict[int, str] = field(default_factory=dict)

    def read(self, lines: list[dict[str, Any]], killed_at: float | None) -> None:
        """Take a victim's reports; with `killed_at`, text shown for a second counts too."""
        for line in lines:
            if line.get("try") == "purge":
                self.maybe_purged.add(line["chat"])
            elif line.get("try") in ("trash", "restore"):
                self.trashed.pop(line["chat"], None)
            elif line.get("try") == "rename":
                self.titles.pop(line["chat"], None)
            elif "done" in line:
                self._done(line)
        for answer, text in must_be_on_disk(lines, killed_at).items():
            if answer not in self.texts:
                self.streamed[answer] = text

    def _done(self, line: dict[str, Any]) -> None:
        what, result = line["done"], line.get("result")
        if what in ("chat", "branch"):
            self.chats.add(result)
        elif what in ("turn", "edit"):
            self.texts[result] = line["text"]
            self.chat_of[result] = line["chat"]
        elif what == "answer":
            self.streamed.setdefault(result, "")
            self.chat_of[result] = self.chat_of[line["turn"]]
        elif what == "finish":
            self.texts[line["answer"]] = line["text"]
            self.streamed.pop(line["answer"], None)
        elif what in ("trash", "restore"):
            self.trashed[line["chat"]] = what == "trash"
        elif what == "rename":
            self.titles[line["chat"]] = line["title"]
        elif what == "purge":
            self.chats.discard(line["chat"])

    def check(self, store: ConversationStore) -> int:
        """Compare with the store; return the number of comparisons."""
        present = {row["id"] for row in store.database.rows("SELECT id FROM conversations")}
        assert self.chats - self.maybe_purged <= present
        compared = len(self.chats)
        for message, text in self.texts.items():
            if self.chat_of[message] in present:
                assert store.messages.get(message).content == text
                compared += 1
        for message, shown in self.streamed.items():
            if self.chat_of[message] in present:
                assert store.messages.get(message).content.startswith(shown)
                assert store.messages.get(message).state != "streaming"
                compared += 1
        for chat, title in self.titles.items():
            assert chat not in present or store.conversations.get(chat).title == title
        for chat, trashed in self.trashed.items():
            assert chat not in present or (store.conversations.get(chat).trashed_at is not None) == trashed
        return compared


def pictures_named(attachments: str) -> list[str]:
    return [picture.digest for picture in pictures_in(attachments_from_json(attachments))]


def run_and_kill(
    path: Path, after_s: float, *seed: str, begun: bytes = b"opening"
) -> tuple[list[dict[str, Any]], float]:
    """Kill a victim `after_s` seconds after it reported `begun`; return its reports and the time of the kill."""
    path.parent.mkdir(exist_ok=True)
    log = path.with_suffix(".log")
    with log.open("wb") as output:
        victim = subprocess.Popen(
            [sys.executable, "-m", "tests.app.conversations.victim", str(path), *seed], stdout=output
        )
        wait_for(log, begun, victim)
        time.sleep(after_s)
        killed_at = time.monotonic()
        victim.send_signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL
    return [json.loads(line) for line in log.read_text().split("\n")[:-1]], killed_at


def check_sound(store: ConversationStore) -> None:
    shown = {one for row in store.database.rows("SELECT attachments FROM messages") for one in pictures_named(row[0])}
    assert all(store.pictures.get(digest) is not None for digest in shown)
    folder = store.pictures.folder
    assert not folder.exists() or {file.name for file in folder.iterdir()} == shown
    assert store.database.scalar("PRAGMA integrity_check") == "ok"
    assert store.database.rows("PRAGMA foreign_key_check") == []
    assert store.database.scalar("SELECT count(*) FROM chunks") == 0
    indexed = store.database.scalar("SELECT count(*) FROM search")
    assert indexed == store.database.scalar("SELECT count(*) FROM messages WHERE content <> ''")


def kill_working_victims(path: Path, seed: int, kills: int, longest_s: float, *, by_the_clock: bool = True) -> int:
    """Kill victims, in turn as they open the store and as they write an answer; return what was compared."""
    draw = random.Random(seed)
    ledger = Ledger()
    compared = 0
    for number in range(kills):
        begun = b"written" if number % 2 else b"opening"
        lines, killed_at = run_and_kill(path, draw.uniform(0.0, longest_s), str(seed * 1000 + number), begun=begun)
        ledger.read(lines, killed_at if by_the_clock else None)
        store, aside = open_store(path)
        assert aside is None
        check_sound(store)
        compared += ledger.check(store)
        store.close()
    return compared


def kill_a_migration(path: Path, seed: int) -> None:
    """Kill while the store is migrated."""
    write_version(path, 1, answers=1500)
    draw = random.Random(seed)
    run_and_kill(path, draw.uniform(0.0, 0.25))
    store, aside = open_store(path)
    assert aside is None
    assert version_of(store.database.connection) == LATEST
    check_sound(store)
    assert store.database.scalar("SELECT count(*) FROM messages WHERE uid LIKE 'm%'") == 1501
    assert len(store.history.rows()) == 1500
    store.close()
    # The backup that was made before the migration is complete, or does not have its name yet.
    for backup in (path.parent / "backups").iterdir():
        copy = path.with_name("copy.db")
        copy.write_bytes(backup.read_bytes())
        store, _damaged = open_store(copy)
        assert store.database.scalar("SELECT count(*) FROM messages") == 1501
        store.close()
        copy.unlink()


@pytest.mark.full
def test_a_kill_at_work_loses_nothing_that_was_acknowledged(path: Path) -> None:
    assert kill_working_victims(path, seed=1, kills=2, longest_s=0.4, by_the_clock=False) > 0


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.full)])
def test_a_kill_while_migrating_leaves_one_version_or_the_next(path: Path, seed: int) -> None:
    kill_a_migration(path, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
def test_240_kills_at_work(path: Path, seed: int) -> None:
    assert kill_working_victims(path, seed + 10, kills=24, longest_s=2.5) > 0


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(60))
def test_60_kills_while_migrating(path: Path, seed: int) -> None:
    kill_a_migration(path, seed + 100)
