"""Writes tiny encoders with random weights, in the published layouts, for tests of embeddings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

Weights = dict[str, NDArray[np.float32]]

WIDTH, INNER, HEADS, LAYERS = 32, 48, 4, 3
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "query", ":", "deep", "learning"]
_MARKS = ["<s>", "<pad>", "</s>", "[UNK]"]
VOCABULARY = len(_MARKS) + len(WORDS)
_SIZES = {"hidden_size": WIDTH, "intermediate_size": INNER, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS}
BERT: dict[str, Any] = {
    "model_type": "bert", "architectures": ["BertModel"], **_SIZES, "max_position_embeddings": 24,
    "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 1, "hidden_act": "gelu",
}  # fmt: skip
XLM_ROBERTA = {**BERT, "model_type": "xlm-roberta", "type_vocab_size": 1, "layer_norm_eps": 1e-5}
NOMIC: dict[str, Any] = {
    "model_type": "nomic_bert", "n_embd": WIDTH, "n_inner": INNER, "n_head": HEADS, "n_layer": LAYERS,
    "n_positions": 64, "type_vocab_size": 2, "layer_norm_epsilon": 1e-12, "rotary_emb_base": 1000,
    "rotary_emb_fraction": 1.0, "activation_function": "swiglu", "qkv_proj_bias": False, "mlp_fc1_bias": False,
    "mlp_fc2_bias": False, "prenorm": False, "use_rms_norm": False, "causal": False,
    "auto_map": {"AutoModel": "nomic-ai/nomic-bert-2048--modeling_hf_nomic_bert.NomicBertModel"},
}  # fmt: skip
GEMMA: dict[str, Any] = {
    "model_type": "gemma3_text", "use_bidirectional_attention": True, **_SIZES, "num_key_value_heads": 2,
    "head_dim": 8, "query_pre_attn_scalar": 8, "sliding_window": 8, "sliding_window_pattern": 3,
    "rms_norm_eps": 1e-6, "rope_theta": 1_000_000.0, "rope_local_base_freq": 10_000.0, "max_position_embeddings": 64,
}  # fmt: skip

MODERNBERT: dict[str, Any] = {
    "model_type": "modernbert", "hidden_size": WIDTH, "intermediate_size": 48, "num_attention_heads": HEADS,
    "num_hidden_layers": 4, "max_position_embeddings": 64, "global_attn_every_n_layers": 3, "local_attention": 6,
    "global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "pad_token_id": 1, "cls_token_id": 0,
    "sep_token_id": 2, "bos_token_id": 0, "eos_token_id": 2, "architectures": ["ModernBertModel"],
    "reference_compile": False,
}  # fmt: skip


def write_encoder(folder: Path, config: Mapping[str, Any], pooling: str, *, dense: tuple[int, ...] = ()) -> Weights:
    """Write a folder with the `pooling` of sentence-transformers and layers of these outputs after it.

    Return all weights by name; those of the layers after the pooling have their folder before theirs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    whole = {**config, "vocab_size": VOCABULARY}
    _write(folder / "config.json", whole)
    _tokenizer().save(str(folder / "tokenizer.json"))
    _write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": WIDTH, f"pooling_mode_{pooling}": True})
    rng = np.random.default_rng(7)
    shapes = _SHAPES[str(config["model_type"])](whole)
    weights: Weights = {name: _drawn(rng, name, shape) for name, shape in shapes.items()}
    save_file(weights, folder / "model.safetensors")
    modules = [{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"}]
    modules.append({"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})
    inputs = WIDTH
    for place, outputs in enumerate(dense, 2):
        name = f"{place}_Dense"
        settings = {"in_features": inputs, "out_features": outputs, "bias": False}
        _write(folder / name / "config.json", {**settings, "activation_function": "torch.nn.modules.linear.Identity"})
        layer = _drawn(rng, "weight", (outputs, inputs))
        save_file({"linear.weight": layer}, folder / name / "model.safetensors")
        weights[f"{name}.linear.weight"] = layer
        modules.append({"idx": place, "path": name, "type": "sentence_transformers.models.Dense"})
        inputs = outputs
    modules.append({"idx": 9, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})
    # As published: each module has its number for a name.
    _write(folder / "modules.json", [{"name": str(module["idx"]), **module} for module in modules])
    return weights


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))


def _drawn(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Draw a tensor; the scales of norms are about one."""
    centre = 1.0 if "orm" in name and name.endswith("weight") else 0.0
    return (centre + 0.2 * rng.standard_normal(shape)).astype(np.float32)


def _tokenizer() -> Tokenizer:
    ids = {word: place for place, word in enumerate([*_MARKS, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(_MARKS)
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", None, [("<s>", 0), ("</s>", 2)])
    # As published, and not to be heeded: texts are embedded whole, or refused.
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=30, pad_id=1, pad_token="<pad>")
    return tokenizer


def _of_bert(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    tables = {"word": config["vocab_size"], "position": config["max_position_embeddings"]}
    tables["token_type"] = config["type_vocab_size"]
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (rows, WIDTH) for name, rows in tables.items()
    }
    shapes |= _norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        place = f"encoder.layer.{layer}"
        for name in ("query", "key", "value"):
            shapes |= _linear(f"{place}.attention.self.{name}", WIDTH, WIDTH)
        shapes |= _linear(f"{place}.attention.output.dense", WIDTH, WIDTH) | _norm(
            f"{place}.attention.output.LayerNorm"
        )
        shapes |= _linear(f"{place}.intermediate.dense", INNER, WIDTH) | _linear(f"{place}.output.dense", WIDTH, INNER)
        shapes |= _norm(f"{place}.output.LayerNorm")
    # Of another task, and left out.
    return shapes | _linear("pooler.dense", WIDTH, WIDTH)


def _of_nomic(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **_norm("emb_ln"),
    }
    for layer in range(LAYERS):
        place = f"encoder.layers.{layer}"
        shapes[f"{place}.attn.Wqkv.weight"] = (3 * WIDTH, WIDTH)
        shapes[f"{place}.attn.out_proj.weight"] = (WIDTH, WIDTH)
        shapes[f"{place}.mlp.fc11.weight"] = shapes[f"{place}.mlp.fc12.weight"] = (INNER, WIDTH)
        shapes[f"{place}.mlp.fc2.weight"] = (WIDTH, INNER)
        shapes |= _norm(f"{place}.norm1") | _norm(f"{place}.norm2")
    return shapes


def _of_gemma(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    keys = config["num_key_value_heads"] * config["head_dim"]
    shapes: dict[str, tuple[int, ...]] = {"embed_tokens.weight": (config["vocab_size"], WIDTH), "norm.weight": (WIDTH,)}
    for layer in range(LAYERS):
        place = f"layers.{layer}"
        attention = {"q": (WIDTH, WIDTH), "k": (keys, WIDTH), "v": (keys, WIDTH), "o": (WIDTH, WIDTH)}
        shapes |= {f"{place}.self_attn.{name}_proj.weight": shape for name, shape in attention.items()}
        shapes |= {f"{place}.self_attn.{name}_norm.weight": (config["head_dim"],) for name in "qk"}
        shapes |= {f"{place}.mlp.{name}_proj.weight": (INNER, WIDTH) for name in ("gate", "up")}
        shapes[f"{place}.mlp.down_proj.weight"] = (WIDTH, INNER)
        norms = ("input", "post_attention", "pre_feedforward", "post_feedforward")
        shapes |= {f"{place}.{name}_layernorm.weight": (WIDTH,) for name in norms}
    return shapes


def _linear(name: str, outputs: int, inputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _norm(name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}


_SHAPES = {"bert": _of_bert, "xlm-roberta": _of_bert, "nomic_bert": _of_nomic, "gemma3_text": _of_gemma}
