"""Names of models for people: repositories become words, other apps' own names stay as they are."""

from __future__ import annotations

import pytest

from app.session.model_names import short_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("mlx-community/Qwen3-8B-4bit", ("Qwen3 8B", 4)),
        ("org/qwen3-8b", ("qwen3 8b", 0)),
        ("smollm2-4bit", ("smollm2", 4)),
        # Of imported chats.
        ("gpt-5", ("gpt-5", 0)),
        ("claude-opus-4-1", ("claude-opus-4-1", 0)),
    ],
)
def test_a_repository_is_shown_in_words_and_a_plain_name_as_it_is(name: str, shown: tuple[str, int]) -> None:
    assert short_name(name) == shown
