"""The marks of thoughts, in prompts."""

from __future__ import annotations

import pytest

from engine.model_files.thought_marks import opened_thought


@pytest.mark.parametrize(
    ("prompt_end", "opening"),
    [
        ("<|Assistant|><think>\n", "<think>\n"),
        ("<start_of_turn>model\n<|channel>thought\n", "<|channel>thought\n"),
        ("<think>\n\n</think>\n\n", ""),
        ("What does <think> mean?<|im_end|>\n<|im_start|>assistant\n", ""),
        ("<think>\nHm, so", ""),
        ("", ""),
    ],
)
def test_the_end_of_a_prompt_tells_whether_the_answer_begins_with_thoughts(prompt_end: str, opening: str) -> None:
    assert opened_thought(prompt_end) == opening
