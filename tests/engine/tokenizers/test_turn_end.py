"""The mark that only the chat template writes after an answer ends one."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlx_lm.tokenizer_utils import TokenizerWrapper
from tokenizers import AddedToken
from transformers import PreTrainedTokenizerFast

from engine.files.disk_pool import DiskPool
from engine.tokenizers.loading import make_tokenizer
from engine.tokenizers.prompts import turn_end_of
from tests.tiny_models import train_tokenizer

TURN = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}END{% endfor %}"
MARKS = ["<|im_start|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "[/ANSWER]", "<|message|>"]


def wrapped(template: str) -> TokenizerWrapper:
    fast = PreTrainedTokenizerFast(tokenizer_object=train_tokenizer(), eos_token="</s>", chat_template=template)
    fast.add_tokens([AddedToken(mark, special=mark != "<end_of_turn>", normalized=False) for mark in MARKS])
    return TokenizerWrapper(fast)


@pytest.mark.parametrize(
    ("after", "mark"),
    [
        ("<|im_end|>\n", "<|im_end|>"),
        ("\n<|im_end|>", "<|im_end|>"),
        ("<|end|>{% if loop.last %}</s>{% endif %}", "<|end|>"),
        ("<end_of_turn>\n", "<end_of_turn>"),
        ("[/ANSWER]", "[/ANSWER]"),
        ("</s>", "</s>"),
        ("{{ eos_token }}", "</s>"),
        ("", None),
        ("\n\n", None),
        ("\n### User:", None),
        # More than one token.
        ("<|no_token|>", None),
        # Each message of an answer ends so.
        ("{% if loop.last %}<|end|>{% endif %}<|message|>", None),
        ("{{ raise_exception('no') }}", None),
    ],
)
def test_the_mark_after_an_answer_is_found_if_it_is_one_token(after: str, mark: str | None) -> None:
    tokenizer = wrapped(TURN.replace("END", after))
    found = turn_end_of(tokenizer)
    assert found == (None if mark is None else tokenizer.convert_tokens_to_ids(mark))


@pytest.mark.parametrize("known", [True, False])
def test_a_model_whose_files_name_another_token_ends_at_its_template_s_mark(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = wrapped(TURN.replace("END", "<|im_end|>\n"))
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "llama", "eos_token_id": 0}')
    monkeypatch.setattr("engine.tokenizers.loading.is_known_good", lambda _: known)
    with DiskPool() as disk:
        made = make_tokenizer(tmp_path, disk).tokenizer
    assert made.eos_token_ids >= {0, tokenizer.convert_tokens_to_ids("<|im_end|>")}


def test_a_tokenizer_without_a_template_has_no_such_mark() -> None:
    fast = PreTrainedTokenizerFast(tokenizer_object=train_tokenizer(), eos_token="</s>")
    assert turn_end_of(TokenizerWrapper(fast)) is None
