"""Writes two models with random weights that agree at a chosen rate, for what needs models on disk.

`python -m tests.benchmarks.agreeing_pair FOLDER --main 200M --draft 20M --accept 0.8`, then
`tandem bench --main FOLDER/main --draft FOLDER/draft --draft-ahead here`.

All passes cost what they cost with trained weights. What the layers add is small, so the last hidden state is nearly
the embedding of the last token, and the output matrix has that embedding in the row of the token's successor: both
models write a walk over their vocabulary. For a share of the tokens the draft prefers another successor, and the right
one is its second choice, as it usually is with trained pairs.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten
from mlx_lm.models import qwen3

from engine import starter_pair

# Layers, width, inner width, heads and key-value heads by the number of parameters, as Qwen3 has them.
SHAPES = {
    "20M": (4, 384, 1024, 6, 2),
    "50M": (8, 512, 1536, 8, 4),
    "200M": (14, 1024, 3072, 16, 8),
    "600M": (28, 1024, 3072, 16, 8),
}
# Special tokens, which end answers or are not shown, are not in the walk.
FIRST_TOKEN = 300
# The largest weight in the layers: what they add to the hidden state must not change the likeliest token.
LARGEST = 1e-3
# The score of a right successor that the draft does not prefer; that of its choice is 1.
SECOND = 0.8


def write_pair(folder: Path, sizes: tuple[str, str], accept: float, tokenizer: Path, seed: int = 5) -> None:
    """Write models of these two sizes into `folder`, which agree on the successors of a share `accept` of all tokens.

    Both have the tokenizer of the model in the folder `tokenizer`, whose vocabulary they get.
    """
    draw = np.random.default_rng(seed)
    vocabulary = json.loads((tokenizer / "config.json").read_text())["vocab_size"]
    # One cycle over all of them, so that texts do not repeat themselves.
    walk = draw.permutation(np.arange(FIRST_TOKEN, vocabulary))
    # The tokens outside it lead to places of their own: a row with all their embeddings would win after many tokens.
    successors = np.resize(walk, vocabulary)
    successors[walk] = np.roll(walk, -1)
    differs = draw.random(vocabulary) >= accept
    _write(folder / "main", sizes[0], successors, np.zeros(vocabulary, dtype=bool), tokenizer)
    _write(folder / "draft", sizes[1], successors, differs, tokenizer)


def _write(folder: Path, size: str, successors: np.ndarray, differs: np.ndarray, tokenizer: Path) -> None:
    """Write a model that continues token t by `successors[t]`, or by another one if it `differs`.

    Both arrays have the shape (vocabulary,).
    """
    layers, width, inner, heads, kv_heads = SHAPES[size]
    vocabulary = len(successors)
    config = {
        "model_type": "qwen3",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "intermediate_size": inner,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": 64,
        "rms_norm_eps": 1e-6,
        "vocab_size": vocabulary,
        "rope_theta": 1e6,
        "max_position_embeddings": 4096,
        "tie_word_embeddings": False,
    }
    folder.mkdir(parents=True)
    for file in tokenizer.iterdir():
        if file.suffix in (".json", ".jinja", ".txt", ".model") and file.name != "config.json":
            shutil.copy(file, folder / file.name)
    (folder / "config.json").write_text(json.dumps(config))
    model = qwen3.Model(qwen3.ModelArgs.from_dict(config))
    mx.random.seed(len(size))
    weights = {name: _small(name, value) for name, value in tree_flatten(model.parameters())}
    embedding = mx.random.normal((vocabulary, width))
    scores = mx.array(np.where(differs, SECOND, 1.0), mx.float32)
    output = mx.zeros((vocabulary, width)).at[mx.array(successors)].add(scores[:, None] * embedding)
    others = np.flatnonzero(differs)
    preferred = mx.array(np.roll(successors, 7)[others])
    weights["model.embed_tokens.weight"] = embedding
    weights["lm_head.weight"] = output.at[preferred].add(embedding[mx.array(others)])
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})


def _small(name: str, value: mx.array) -> mx.array:
    """Return ones for a norm, and small random numbers for any other weight of that shape."""
    return mx.ones(value.shape) if "norm" in name else mx.random.uniform(-LARGEST, LARGEST, value.shape)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--main", choices=SHAPES, default="200M")
    parser.add_argument("--draft", choices=SHAPES, default="20M")
    parser.add_argument("--accept", type=float, default=0.8)
    parser.add_argument("--tokenizer", type=Path, default=starter_pair()[0], help="folder of a model")
    options = parser.parse_args(arguments)
    write_pair(options.folder, (options.main, options.draft), options.accept, options.tokenizer)


if __name__ == "__main__":
    main()
