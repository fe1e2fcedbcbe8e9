"""Damaged copies of a store, and the messages that must be recovered from each."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.conversations.database.records import NewMessage
from app.conversations.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 4096
KINDS = ("header byte", "50 bytes", "zeroed page", "cut by a page", "20 kB of noise", "one byte")
CHATS, MESSAGES = 20, 10


@dataclass(frozen=True)
class DamagedFile:
    """A file, and the beginnings of the messages on its undamaged pages."""

    content: bytes
    held: frozenset[str]


def write_store(path: Path) -> bytes:
    """Write a store of 20 chats with ten different messages each, some of them longer than a page."""
    store, _damaged = open_store(path)
    with store.database.write():
        for chat in range(CHATS):
            identity = store.conversations.create(title=f"Titel {chat} 초안")
            parent = None
            for index in range(MESSAGES):
                role = "user" if index % 2 == 0 else "assistant"
                text = f"chat {chat} message {index}: " + f"{chat}.{index} 초안 draft " * (20 if index else 400)
                parent = store.messages.add(identity, parent, NewMessage(role, text))
    store.close()
    return path.read_bytes()


def damage(sound: bytes, kind: str, seed: int) -> DamagedFile:
    """Damage a file in one of KINDS; `seed` determines where."""
    draw = random.Random(f"{kind} {seed}")
    content = bytearray(sound)
    if kind == "header byte":
        # Errors in other bytes do not keep a file from being read.
        content[draw.choice([*range(24), *range(28, 32), *range(44, 48), *range(52, 64)])] ^= 1 << draw.randrange(8)
    elif kind == "cut by a page":
        del content[len(content) - PAGE * (1 + seed) :]
    elif kind == "zeroed page":
        page = draw.randrange(len(content) // PAGE)
        content[page * PAGE : page * PAGE + PAGE] = bytes(PAGE)
    elif kind == "20 kB of noise":
        start = draw.randrange(len(content) - 20_000)
        content[start : start + 20_000] = draw.randbytes(20_000)
    else:
        for _ in range(50 if kind == "50 bytes" else 1):
            content[draw.randrange(len(content))] = draw.randrange(256)
    return DamagedFile(bytes(content), _held(sound, bytes(content)))


def _held(sound: bytes, damaged: bytes) -> frozenset[str]:
    """Return the beginnings of the messages on undamaged pages."""
    found = set()
    for chat in range(CHATS):
        for index in range(MESSAGES):
            text = f"chat {chat} message {index}: "
            start = sound.index(text.encode()) // PAGE * PAGE
            first = start + (100 if start == 0 else 0)
            if damaged[first : start + PAGE] == sound[first : start + PAGE]:
                found.add(text)
    return frozenset(found)
