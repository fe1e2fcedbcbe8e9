"""Fixtures of the recipe's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from resources.starter.recipe.model import LanguageModel


@pytest.fixture
def main() -> LanguageModel:
    # Imported here because it needs torch, which only the recipe's extra brings.
    from tests.starter.tiny_training import tiny_main

    return tiny_main()
