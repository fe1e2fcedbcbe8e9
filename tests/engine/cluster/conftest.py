"""Ranks that build no fused kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def ranks_without_compilation(without_compilation: None) -> Iterator[None]:  # noqa: ARG001
    """Without this each rank builds fused kernels with a C++ compiler."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLX_DISABLE_COMPILE", "1")
        yield
