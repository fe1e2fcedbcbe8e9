"""Fixtures of the recipe's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

# The environment of every test: a fast BLAS, an empty home, and no unexpected log record.
from tests.conftest import fail_on_unexpected_log, homes, loopback_only, own_home  # noqa: F401

if TYPE_CHECKING:
    from resources.starter.recipe.model import LanguageModel


@pytest.fixture
def main() -> LanguageModel:
    # Imported here because it needs torch, which only the recipe's extra brings.
    from resources.starter.recipe.tests.tiny_training import tiny_main

    return tiny_main()
