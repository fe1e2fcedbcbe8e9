"""Small, complete and well-formed model folders for tests, which break one thing in them."""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ELEMENT_BYTES = {"F32": 4, "F16": 2, "BF16": 2, "U32": 4, "U8": 1, "BOOL": 1, "I64": 8}


def safetensors(tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """Return a safetensors file of equal numbers, 0.065 in F16."""
    header: dict[str, Any] = {"__metadata__": {"format": "mlx"}}
    at = 0
    for name, (dtype, shape) in tensors.items():
        size = math.prod(shape) * ELEMENT_BYTES[dtype]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    return with_header(json.dumps(header).encode(), b"\x2c" * at)


def with_header(header: bytes, data: bytes) -> bytes:
    return struct.pack("<Q", len(header)) + header + data


def llama_config(**changes: Any) -> dict[str, Any]:
    return {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 16, "intermediate_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 32,
        "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": True,
    } | changes  # fmt: skip


def llama_tensors(layers: int = 2, hidden: int = 16, vocab: int = 32) -> dict[str, tuple[str, tuple[int, ...]]]:
    tensors: dict[str, tuple[str, tuple[int, ...]]] = {
        "model.embed_tokens.weight": ("F16", (vocab, hidden)),
        "model.norm.weight": ("F16", (hidden,)),
    }
    for layer in range(layers):
        stem = f"model.layers.{layer}"
        tensors |= {
            f"{stem}.self_attn.q_proj.weight": ("F16", (hidden, hidden)),
            f"{stem}.self_attn.k_proj.weight": ("F16", (hidden // 2, hidden)),
            f"{stem}.self_attn.v_proj.weight": ("F16", (hidden // 2, hidden)),
            f"{stem}.self_attn.o_proj.weight": ("F16", (hidden, hidden)),
            f"{stem}.mlp.gate_proj.weight": ("F16", (2 * hidden, hidden)),
            f"{stem}.mlp.up_proj.weight": ("F16", (2 * hidden, hidden)),
            f"{stem}.mlp.down_proj.weight": ("F16", (hidden, 2 * hidden)),
            f"{stem}.input_layernorm.weight": ("F16", (hidden,)),
            f"{stem}.post_attention_layernorm.weight": ("F16", (hidden,)),
        }
    return tensors


def tokenizer_json(tokens: Mapping[str, int] | None = None, added: tuple[tuple[str, int], ...] = ()) -> dict[str, Any]:
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    vocab = dict(tokens) if tokens is not None else {chr(97 + index): index for index in range(26)}
    return {
        "version": "1.0",
        "added_tokens": [{"id": id_, "content": text, "special": True} for text, id_ in added],
        "pre_tokenizer": byte_level,
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    }


def model_files(
    config: Mapping[str, Any] | None = None, tokenizer: Mapping[str, Any] | None = None, shards: int = 1
) -> dict[str, bytes]:
    """Return the files of a small Llama by name; with several shards also their index."""
    config = config or llama_config()
    files = {
        "config.json": json.dumps(config, indent=1).encode(),
        "tokenizer.json": json.dumps(tokenizer or tokenizer_json()).encode(),
        "tokenizer_config.json": json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}).encode(),
    }
    tensors = llama_tensors(config["num_hidden_layers"], config["hidden_size"], config["vocab_size"])
    if shards == 1:
        return files | {"model.safetensors": safetensors(tensors)}
    names = list(tensors)
    weight_map = {}
    for number in range(shards):
        shard = f"model-{number + 1:05d}-of-{shards:05d}.safetensors"
        chosen = {name: tensors[name] for name in names[number::shards]}
        files[shard] = safetensors(chosen)
        weight_map |= dict.fromkeys(chosen, shard)
    index = {"metadata": {"total_size": 1}, "weight_map": weight_map}
    return files | {"model.safetensors.index.json": json.dumps(index).encode()}


def write_folder(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def write_snapshot(cache: Path, repository: str, files: Mapping[str, bytes], revision: str = "a" * 40) -> Path:
    """Write the files in the layout of the Hugging Face cache: blobs, links and refs/main."""
    home = cache / ("models--" + repository.replace("/", "--"))
    snapshot = home / "snapshots" / revision
    snapshot.mkdir(parents=True)
    (home / "blobs").mkdir()
    for name, content in files.items():
        digest = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        (home / "blobs" / digest).write_bytes(content)
        (snapshot / name).parent.mkdir(exist_ok=True)
        (snapshot / name).symlink_to(f"{'../' * name.count('/')}../../blobs/{digest}")
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(revision)
    return snapshot
