"""A rank notices that it can have no more memory."""

from __future__ import annotations

import errno

import pytest

from engine.cluster.errors import ClusterError
from engine.cluster.rank import check_memory


def test_a_process_that_can_have_no_more_memory_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    check_memory("studio")

    def mapped(_file: int, _count: int) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr("mmap.mmap", mapped)
    with pytest.raises(ClusterError, match="studio does not have enough memory"):
        check_memory("studio")
