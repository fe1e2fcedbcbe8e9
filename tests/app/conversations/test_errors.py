"""Errors of the store cross processes and threads as they are."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from app.conversations.errors import (
    NotFound,
    StoreError,
    StoreInUse,
    StoreNotWritable,
    StoreTooNew,
    WrongState,
    refusal_of,
)
from app.session.attachments import NotAttachable

ERRORS = [
    StoreError("no"),
    StoreInUse(Path("chats.db")),
    StoreTooNew(Path("chats.db"), 9, 8),
    StoreNotWritable("full", "no space"),
    NotFound("message", 3),
    WrongState(3, "complete", "streaming"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_an_error_survives_pickling(error: StoreError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.code, copy.arguments) == (type(error), str(error), error.code, error.arguments)


def test_a_file_that_cannot_be_attached_survives_pickling() -> None:
    copy = pickle.loads(pickle.dumps(NotAttachable("a.bin", "not-text")))
    assert (copy.name, copy.reason, str(copy)) == ("a.bin", "not-text", "a.bin: not-text")


@pytest.mark.parametrize(
    ("error", "refusal"),
    [
        (StoreNotWritable("full", ""), "full"),
        (StoreNotWritable("read-only", ""), "forbidden"),
        (StoreNotWritable("io", ""), None),
        (PermissionError(13, "no"), "forbidden"),
        (OSError(28, "full"), "full"),
        (ValueError(), None),
    ],
)
def test_why_the_system_refuses_a_store(error: Exception, refusal: str | None) -> None:
    assert refusal_of(error) == refusal
