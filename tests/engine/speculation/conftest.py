"""What tests on tiny models share."""

from __future__ import annotations

from collections.abc import Iterator

import mlx.core as mx
import pytest


@pytest.fixture
def without_compilation() -> Iterator[None]:
    """Fused kernels are built by a C++ compiler on CPU, half a second each, and change nothing for these tests."""
    mx.disable_compile()
    yield
    mx.enable_compile()
