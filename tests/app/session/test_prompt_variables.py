"""The values of the variables in system prompts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.session import prompt_variables
from app.session.model_service import Pair


@pytest.mark.parametrize(
    ("main", "draft", "expected"),
    [
        ("mlx-community/Qwen3-8B-4bit", "mlx-community/Qwen3-0.6B-4bit", ("Qwen3 8B", "Qwen3 0.6B")),
        ("starter/main", "starter/draft", ("Starter", "Starter draft")),
        ("starter/main", "", ("Starter", "")),
    ],
)
def test_models_have_the_names_that_the_window_shows(main: str, draft: str, expected: tuple[str, str]) -> None:
    pair = Pair(SimpleNamespace(name=main), SimpleNamespace(name=draft) if draft else None)
    values = prompt_variables.values(pair)
    assert (values["model"], values["draft"]) == expected
