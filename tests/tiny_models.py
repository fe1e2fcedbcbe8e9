"""Writes tiny random-weight models in mlx-lm's folder format, for tests that need a certain kind."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from engine.mlx_lm_private import model_classes
from engine.model_files.architecture import mlx_vlm_module
from engine.model_files.vlm_language import vlm_classes

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXT = ["the quick brown fox jumps over the lazy dog", "안녕하세요 세계", "こんにちは世界", "你好，世界"] * 8
QWEN3: dict[str, Any] = {
    "model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
    "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip

QWEN3_MOE: dict[str, Any] = {
    **QWEN3, "model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
    "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [],
}  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """How a folder holds its weights: numbers of `dtype`, and matrices of `bits` bits, or as those where it is 0."""

    bits: int = 4
    group: int = 32
    mode: str = "affine"
    dtype: mx.Dtype = mx.bfloat16

    def __str__(self) -> str:
        return f"{self.mode if self.mode != 'affine' else ''}{self.bits} bits" if self.bits else str(self.dtype)[9:]


# As most published models are, and as few are. The CPU computes no experts in plain bfloat16.
FOUR_BITS = Stored()
BFLOAT16 = Stored(bits=0)
MXFP4, MXFP8, NVFP4 = Stored(4, 32, "mxfp4"), Stored(8, 32, "mxfp8"), Stored(4, 16, "nvfp4")
THREE_BITS, SIX_BITS, EIGHT_BITS = Stored(3), Stored(6), Stored(8)
# For tests that compare numbers, which must not hide in rounding.
FLOAT32 = Stored(bits=0, dtype=mx.float32)


def classes_of(config: dict[str, Any]) -> tuple[Any, Any]:
    """Return the class of the model that a config.json describes, and that of its arguments, from either library."""
    family = mlx_vlm_module(config)
    return model_classes(config) if family is None else vlm_classes(family)


def write_model(
    folder: Path,
    *,
    seed: int = 0,
    tokens: int = 384,
    config: Mapping[str, Any] = QWEN3,
    tokenizer: Tokenizer | None = None,
    stored: Stored = FOUR_BITS,
) -> Path:
    """Write a model whose logits are far enough apart for its greedy choices to be stable."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = _write_tokenizer(folder, tokenizer or train_tokenizer(tokens))
    whole = {**config, "vocab_size": vocabulary, "eos_token_id": 2}
    if "text_config" in config:
        # The nested sizes count: a table with fewer rows than tokens would be read beyond its end.
        sizes = {"vocab_size", "vocab_size_per_layer_input"} & config["text_config"].keys() | {"vocab_size"}
        whole["text_config"] = {**config["text_config"], **dict.fromkeys(sizes, vocabulary)}
    model_class, arguments = classes_of(whole)
    mx.random.seed(seed)
    model = model_class(arguments.from_dict(whole))
    weights = {
        name: array * 4.0 if name.endswith(("proj.weight", "lm_head.weight")) else array
        for name, array in tree_flatten(model.parameters())
    }
    packed = {
        f"{path}.weight"
        for path, module in model.named_modules()
        if hasattr(module, "to_quantized") and module.weight.shape[-1] % stored.group == 0
    }
    (folder / "config.json").write_text(json.dumps(whole))
    write_weights(folder, weights, packed, stored)
    return folder


def write_weights(folder: Path, weights: Mapping[str, mx.array], packed: Set[str], stored: Stored) -> None:
    """Write weights in float32 as `stored`; only those that are named in `packed` become quantised."""
    config = json.loads((folder / "config.json").read_text())
    config.pop("quantization", None)
    if stored.bits:
        config["quantization"] = {"bits": stored.bits, "group_size": stored.group, "mode": stored.mode}
    (folder / "config.json").write_text(json.dumps(config))
    written: dict[str, mx.array] = {}
    for name, array in weights.items():
        numbers = array.astype(stored.dtype) if mx.issubdtype(array.dtype, mx.floating) else array
        if not stored.bits or name not in packed:
            written[name] = numbers
            continue
        # Modes other than the affine one have no biases.
        parts = zip(("weight", "scales", "biases"), mx.quantize(numbers, stored.group, stored.bits, stored.mode))  # noqa: B905
        written |= {f"{name.removesuffix('weight')}{part}": value for part, value in parts}
    mx.save_safetensors(str(folder / "model.safetensors"), written, metadata={"format": "mlx"})


def write_experts_apart(folder: Path) -> Path:
    """Write a model of the family qwen3_moe with each expert's matrices apart, as such are published.

    It is in float32, because the CPU computes no experts in bfloat16.
    """
    write_model(folder, seed=1, config=QWEN3_MOE, stored=FLOAT32)
    file = folder / "model.safetensors"
    held: dict[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
    apart: dict[str, mx.array] = {}
    for name, array in held.items():
        before, stacked, after = name.partition("switch_mlp")
        experts = enumerate(array) if stacked else ()
        apart |= {f"{before}experts.{number}{after}": matrix for number, matrix in experts} or {name: array}
    mx.eval(apart)
    mx.save_safetensors(str(file), apart, metadata={"format": "pt"})
    return folder


def read_weights(folder: Path) -> tuple[dict[str, mx.array], set[str]]:
    """Return the weights of a folder in float32, and the names of those that are quantised."""
    held: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    settings = json.loads((folder / "config.json").read_text()).get("quantization", {})
    packed = {f"{name.removesuffix('scales')}weight" for name in held if name.endswith(".scales")}
    weights: dict[str, mx.array] = {}
    for name, array in held.items():
        stem = name.rpartition(".")[0]
        if name in packed:
            scales, biases = held[f"{stem}.scales"], held.get(f"{stem}.biases")
            array = mx.dequantize(array, scales, biases, **settings)
        if f"{stem}.weight" not in packed or name in packed or name.endswith(".bias"):
            weights[name] = array.astype(mx.float32) if mx.issubdtype(array.dtype, mx.floating) else array
    return weights, packed


def write_disturbed_copy(
    source: Path, folder: Path, *, amount: float, seed: int = 3, stored: Stored = FOUR_BITS
) -> Path:
    """Copy a model with noise on its weights: a draft model that agrees now and then."""
    shutil.copytree(source, folder)
    key = mx.random.key(seed)
    weights, packed = read_weights(source)
    disturbed = {
        name: array + amount * mx.random.normal(array.shape, key=part)
        if mx.issubdtype(array.dtype, mx.floating)
        else array
        for (name, array), part in zip(weights.items(), mx.random.split(key, len(weights)), strict=True)
    }
    write_weights(folder, disturbed, packed, stored)
    return folder


def write_with_other_ids(source: Path, folder: Path, *, seed: int = 4) -> Path:
    """Copy a model with other ids for all but the control tokens: it gives the same texts with another tokenizer."""
    shutil.copytree(source, folder)
    content = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = content["model"]["vocab"]
    fixed = {token["id"] for token in content["added_tokens"]}
    ids = [token for token in vocabulary.values() if token not in fixed]
    shuffled = dict(zip(ids, random.Random(seed).sample(ids, len(ids)), strict=True))
    content["model"]["vocab"] = {text: shuffled.get(token, token) for text, token in vocabulary.items()}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    weights = mx.load(str(source / "model.safetensors"))
    for name in [name for name in weights if name.startswith(("model.embed_tokens.", "lm_head."))]:
        came_from = list(range(weights[name].shape[0]))
        for old, new in shuffled.items():
            came_from[new] = old
        weights[name] = weights[name][mx.array(came_from)]
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})
    return folder


def random_tensors(shapes: Mapping[str, tuple[int, ...]], seed: int) -> dict[str, mx.array]:
    """Return tensors of these shapes, small in matrices, 1 in vectors."""
    keys = mx.random.split(mx.random.key(seed), len(shapes))
    return {
        name: mx.ones(shape) if len(shape) == 1 else 0.2 * mx.random.normal(shape, key=key)
        for (name, shape), key in zip(shapes.items(), keys, strict=True)
    }


def write_tensors(folder: Path, config: Mapping[str, Any], tensors: Mapping[str, mx.array]) -> Path:
    """Write a folder of a configuration and tensors, as that of a head."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    mx.save_safetensors(str(folder / "model.safetensors"), dict(tensors), metadata={"format": "mlx"})
    return folder


def train_tokenizer(tokens: int = 384, special: Sequence[str] = SPECIAL) -> Tokenizer:
    """Train a byte-level tokenizer of `tokens` tokens, control tokens included."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=tokens,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


def _write_tokenizer(folder: Path, tokenizer: Tokenizer) -> int:
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": SPECIAL[2],
        "pad_token": SPECIAL[0],
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return int(tokenizer.get_vocab_size())
