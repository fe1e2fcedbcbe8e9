"""A tokenizer.model of SentencePiece that anyone may have changed: refused, or it turns text into tokens and back."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
import sentencepiece

from engine.errors import ModelNotUsable
from engine.main_model.loading import load
from tests.tiny_models import TEXT, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
CLASSES = ("LlamaTokenizer", "GemmaTokenizer", "T5Tokenizer", "XLMRobertaTokenizer", "PreTrainedTokenizerFast")


def changed(content: bytes, source: random.Random) -> bytes:
    edited, kind = bytearray(content), source.randrange(6)
    place = source.randrange(len(content) if kind % 2 else min(2_000, len(content)))
    if kind == 0:
        return content[:place]
    if kind < 3:
        edited[place] ^= 1 << source.randrange(8)
    elif kind == 3:
        # A length, a number of a field, or a byte of a text that goes on in the next one.
        edited[place : place + 1] = source.choice((b"\xff" * 9 + b"\x01", b"\x80", b"\0", b"\x0a\xff\xff\x7f", b""))
    elif kind == 4:
        edited[place:place] = content[source.randrange(len(content)) :][: source.randrange(1, 3_000)]
    else:
        edited[place:] = source.randbytes(min(len(content) - place, 500))
    return bytes(edited)


@pytest.mark.parametrize(("kind", "rule"), [("bpe", "identity"), ("unigram", "identity"), ("unigram", "nmt_nfkc")])
def test_a_changed_vocabulary_is_refused_or_usable(tmp_path: Path, kind: str, rule: str) -> None:
    folder = write_model(tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT * 20), model_prefix=str(folder / "tokenizer"), vocab_size=46, model_type=kind,
        character_coverage=1.0, minloglevel=2, normalization_rule_name=rule, hard_vocab_limit=False,
    )  # fmt: skip
    content, source, outcomes = (folder / "tokenizer.model").read_bytes(), random.Random(105), Counter[str]()
    for number in range(int(100 * SIZE)):
        settings |= {"tokenizer_class": source.choice(CLASSES), "eos_token": "</s>", "pad_token": None}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        (folder / "tokenizer.model").write_bytes(changed(content, source) if number else content)
        began = time.process_time()
        try:
            tokenizer = load(folder).tokenizer
            for text in (*TEXT[:4], "\u202e\0 \U0001f600", "fox" * 3_000):
                tokenizer.decode(tokenizer.encode(text))
            outcomes["usable"] += 1
        except ModelNotUsable as error:
            outcomes[f"{error.reason}: {error.detail[:60]}"] += 1
            assert number
        assert time.process_time() - began < 10
    print(dict(outcomes.most_common()))
