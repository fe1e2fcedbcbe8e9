"""Tiny GGUF files: a Llama with random weights, and the layouts in which other programs keep such files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import gguf
import msgspec
import numpy as np

from engine.finding.gguf_models import conversion_of
from engine.gguf import provenance
from tests.engine.model_files.model_folders import model_files, write_folder

GOLDEN = json.loads((Path(__file__).parent / "engine/gguf/golden_tokenizers.json").read_text(encoding="utf-8"))
TEMPLATE = (
    "{% for m in messages %}<s>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant\n{% endif %}"
)
_WIDTH, _LAYERS = 64, 2


def write_gguf(path: Path, kind: str = "Q8_0", seed: int = 0, **fields: Any) -> Path:
    """Write a chat model of 2 layers; `fields` replace or add metadata by keys with "__" for the dots."""
    vocabulary = len(GOLDEN["byte_level"]["tokens"])
    metadata = {
        "llama.context_length": 512,
        "llama.embedding_length": _WIDTH,
        "llama.block_count": _LAYERS,
        "llama.feed_forward_length": 128,
        "llama.attention.head_count": 2,
        "llama.attention.head_count_kv": 1,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10_000.0,
        "general.type": "model",
        "tokenizer.chat_template": TEMPLATE,
        **{f"tokenizer.ggml.{key}": value for key, value in GOLDEN["byte_level"].items()},
        "tokenizer.ggml.pre": "gpt-2",
        **{key.replace("__", "."): value for key, value in fields.items()},
    }
    writer = gguf.GGUFWriter(path, str(metadata.pop("general.architecture", "llama")))
    for key, value in metadata.items():
        add: Any = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
        add.get(type(value), writer.add_array)(key, value)
    random = np.random.default_rng(seed)
    shapes = {"token_embd": (vocabulary, _WIDTH), "output_norm": (_WIDTH,)}
    for layer in range(_LAYERS):
        shapes |= {f"blk.{layer}.{name}": (_WIDTH,) for name in ("attn_norm", "ffn_norm")}
        shapes |= {f"blk.{layer}.{name}": (_WIDTH, _WIDTH) for name in ("attn_q", "attn_output")}
        shapes |= {f"blk.{layer}.{name}": (_WIDTH // 2, _WIDTH) for name in ("attn_k", "attn_v")}
        shapes |= {f"blk.{layer}.{name}": (128, _WIDTH) for name in ("ffn_gate", "ffn_up")}
        shapes[f"blk.{layer}.ffn_down"] = (_WIDTH, 128)
    for name, shape in shapes.items():
        one_dimension = len(shape) == 1
        numbers = np.ones(shape) if one_dimension else random.normal(scale=0.3, size=shape)
        chosen = gguf.GGMLQuantizationType["F32" if one_dimension else kind]
        writer.add_tensor(f"{name}.weight", gguf.quants.quantize(numbers.astype(np.float32), chosen), raw_dtype=chosen)
    path.parent.mkdir(parents=True, exist_ok=True)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_in_ollama(models: Path, owner: str, name: str, tag: str, **fields: Any) -> Path:
    """Write a model as Ollama stores it: a manifest that names blobs; return the blob of the weights."""
    file = write_gguf(models / "blobs" / "new", **fields)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    blob = file.rename(file.with_name(f"sha256-{digest}"))
    layers = [
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}", "size": blob.stat().st_size},
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "0" * 64, "size": 1},
        {"mediaType": "application/vnd.ollama.image.params", "digest": "sha256:" + "1" * 64, "size": 1},
    ]
    manifest = models / "manifests" / owner / name / tag
    manifest.parent.mkdir(parents=True, exist_ok=True)
    config = {"mediaType": "application/vnd.docker.container.image.v1+json", "digest": "sha256:" + "2" * 64, "size": 1}
    manifest.write_text(json.dumps({"schemaVersion": 2, "config": config, "layers": layers}))
    return blob


def pretend_conversion(source: Path, cache: Path, requantised: tuple[str, ...] = ()) -> Path:
    """Make the folder that a file is turned into, of another model's files."""
    folder = write_folder(conversion_of(source, cache), model_files())
    status = source.stat()
    kept = provenance.Provenance(
        source=str(source), size=status.st_size, modified_ns=status.st_mtime_ns, architecture="llama", tensors=21,
        requantised=requantised,
    )  # fmt: skip
    (folder / provenance.NAME).write_bytes(msgspec.json.encode(kept))
    return folder
