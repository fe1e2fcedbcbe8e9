"""Errors of the store say why the system refuses it."""

from __future__ import annotations

import pytest

from app.conversations.errors import StoreNotWritable, refusal_of


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
