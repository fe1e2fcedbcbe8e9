"""Embeddings beside those of sentence-transformers, for tiny encoders with random weights.

TANDEM_SENTENCE_TRANSFORMERS names a Python with that package, such as that of a virtual environment of its own: it
needs PyTorch, which nothing else here does. The folders of some families are written by its transformers. nomic-bert's
published layout needs code of its authors' there, so it is compared with numpy only (tests/engine/encoders).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Engine
from engine.events import Finished
from engine.requests import ChatRequest
from tests.encoder_folders import BERT, GEMMA, HEADS, LAYERS, MODERNBERT, WIDTH, XLM_ROBERTA, write_encoder
from tests.engine.encoders.embedding import Numbers, embeddings_of, scaled
from tests.patience import PATIENCE_S

PYTHON = os.environ.get("TANDEM_SENTENCE_TRANSFORMERS", "")
pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not PYTHON, reason="TANDEM_SENTENCE_TRANSFORMERS names no Python with sentence-transformers"),
]

TEXTS = (
    "the quick brown fox",
    "deep learning query : dog",
    "over the lazy dog the quick brown fox jumps over the deep query",
)
# Writes the weights of a network into the folder of its configuration.
_WRITE = """
import sys, torch
from transformers import AutoConfig, AutoModel
torch.manual_seed(3)
AutoModel.from_config(AutoConfig.from_pretrained(sys.argv[1])).float().save_pretrained(sys.argv[1])
"""
_EMBED = """
import json, sys
from sentence_transformers import SentenceTransformer
model = SentenceTransformer(sys.argv[1], device="cpu")
print(json.dumps(model.encode(json.loads(sys.argv[2]), prompt=json.loads(sys.argv[3])).tolist()))
"""
QWEN: dict[str, Any] = {
    "model_type": "qwen3", "hidden_size": WIDTH, "intermediate_size": 48, "num_attention_heads": HEADS,
    "num_key_value_heads": 2, "head_dim": 8, "num_hidden_layers": LAYERS, "max_position_embeddings": 64,
    "rms_norm_eps": 1e-6, "rope_theta": 1_000_000.0, "architectures": ["Qwen3ForCausalLM"],
    "tie_word_embeddings": True,
}  # fmt: skip


def run(script: str, *arguments: str) -> str:
    command = [PYTHON, "-c", script, *arguments]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def by_main_model(folder: Path) -> list[Numbers]:
    """Return the embeddings of a model that also writes texts, which is loaded as a main model."""
    vectors = []
    with Engine() as engine:
        engine.load(folder).result(PATIENCE_S)
        for text in TEXTS:
            *_, last = engine.submit(ChatRequest(prompt=text, max_tokens=0, embedding=True))
            assert isinstance(last, Finished), last
            vectors.append(scaled(np.array(last.embedding)))
    return vectors


@pytest.mark.parametrize(
    ("config", "pooling", "dense"),
    [
        pytest.param(BERT, "cls_token", (), id="bge"),
        pytest.param(BERT, "mean_tokens", (), id="minilm"),
        pytest.param(XLM_ROBERTA, "mean_tokens", (), id="e5"),
        pytest.param(GEMMA, "mean_tokens", (64, WIDTH), id="embeddinggemma"),
        pytest.param(MODERNBERT, "mean_tokens", (), id="modernbert"),
        pytest.param(QWEN, "lasttoken", (), id="qwen3-embedding"),
    ],
)
def test_vectors_are_those_of_sentence_transformers(
    tmp_path: Path, config: Mapping[str, Any], pooling: str, dense: tuple[int, ...]
) -> None:
    written = config in (MODERNBERT, QWEN)
    write_encoder(tmp_path, BERT if written else config, pooling, dense=dense)
    if written:
        vocabulary = json.loads((tmp_path / "config.json").read_text())["vocab_size"]
        (tmp_path / "config.json").write_text(json.dumps({**config, "vocab_size": vocabulary}))
        run(_WRITE, str(tmp_path))
    tokenizer = tmp_path / "tokenizer.json"
    # The truncation and padding that our own tests let the file have would be heeded here.
    plain = {**json.loads(tokenizer.read_text()), "truncation": None, "padding": None}
    tokenizer.write_text(json.dumps(plain))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "model_max_length": 64}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    expected = np.array(json.loads(run(_EMBED, str(tmp_path), json.dumps(TEXTS), json.dumps(None))))
    ours = np.array(by_main_model(tmp_path) if config is QWEN else embeddings_of(tmp_path, *TEXTS).vectors)
    apart = float(np.abs(ours - expected).max())
    print(f"{config['model_type']}, {pooling}: {apart:.1e} apart")
    assert apart < 2e-4
