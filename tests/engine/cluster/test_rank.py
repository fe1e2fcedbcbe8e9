"""A rank says truly why it cannot go on."""

from __future__ import annotations

import errno

import pytest

from engine.cluster.errors import ClusterError, OutOfStep, failure_of
from engine.cluster.rank import check_memory


def test_a_process_that_can_have_no_more_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    check_memory("studio")

    def mapped(_file: int, _count: int) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr("mmap.mmap", mapped)
    with pytest.raises(ClusterError, match="no-memory, studio"):
        check_memory("studio")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OutOfStep("rewind came to 4, and on rank 0 to 5"), "out-of-step"),
        (MemoryError(), "no-memory"),
        (RuntimeError("[malloc] Unable to allocate 9 bytes"), "no-memory"),
        (RuntimeError("[METAL] Command buffer execution failed: Insufficient Memory"), "no-memory"),
        (ValueError("shapes"), "ended"),
    ],
)
def test_only_a_rank_that_computed_something_else_is_out_of_step(error: Exception, reason: str) -> None:
    assert failure_of(error, "studio").reason == reason
