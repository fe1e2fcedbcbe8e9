"""Checks a model folder before mlx-lm or mlx-vlm gets it, as far as possible without loading it.

Weights must be safetensors with consistent headers, JSON small and flat, names inside the folder, and no setting may
ask for code to be run. The loader checks the names of the tensors and the content of the tokenizer.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.files.bounded_json import CONFIG, INDEX, TOKENIZER, UntrustedJsonError, check_structure, parse, read_bytes
from engine.files.folder_paths import open_regular, stays_inside
from engine.model_files.architecture import can_load, plugin_exists, purpose_of, transformers_has_tokenizer
from engine.model_files.config import context_length, read_json, text_config
from engine.model_files.encoder_kinds import encoder_family
from engine.model_files.model_folder import INDEX_NAME, ModelFolder
from engine.model_files.safetensors_header import TensorHeader
from engine.model_files.tokenizer_growth import grows_without_bounds

LAYER = re.compile(r"(?:model\.)?(?:language_model\.)?(?:model\.)?layers\.(\d{1,5})\.")
_PER_LAYER = "embed_tokens_per_layer"
_TABLE = re.compile(rf"(?:^|\.)(embed_tokens|{_PER_LAYER}|wpe)\.weight$")
# The rows that phi3small's code writes, whatever the size of the vocabulary.
_ROWS_OF_PHI3SMALL = 100_352
# Families that replace a token without a row by another one.
_MASKS_TOKENS_WITHOUT_ROWS = ("gemma3n", "gemma3n_text")
_VOCABULARIES = ("tokenizer.model", "vocab.txt", "tiktoken.model", "tekken.json")
_VOCABULARY_SUFFIXES = (".txt", ".model", ".tiktoken")
# Transformers and mlx-lm read these files, too; only their structure is checked here.
_SMALL_JSON = (
    *("generation_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.json"),
    "processor_config.json",
)
_TEMPLATE_BYTES = 2**20


def check_folder(path: str | Path, may_lack: Set[str] = frozenset()) -> None:
    """Raise `ModelNotUsable` unless the folder is a complete, safe model that mlx-lm can load.

    The files of weights named in `may_lack` may be missing. Reads JSON files and the headers of safetensors files,
    never weights. Reasons: missing, not-a-model, unsafe, damaged, is-head, incomplete, unknown-architecture,
    wrong-tensors, no-tokenizer, and for a model that writes no text "is-" and its purpose, as "is-embedding".
    """
    folder = ModelFolder(Path(path))
    inspect_folder(folder, may_lack)
    _check_tokenizer_content(folder.path)


def inspect_folder(folder: ModelFolder, may_lack: Set[str] = frozenset()) -> dict[str, TensorHeader]:
    """Check a folder like `check_folder`, but without reading the tokenizer. Return its tensors by name.

    Raises `ModelNotUsable` for the same reasons.
    """
    path = folder.path
    config = _checked_config(folder)
    if not can_load(config):
        purpose = purpose_of(config)
        reason = f"is-{purpose}" if purpose else "unknown-architecture"
        raise ModelNotUsable(path, reason, str(config.get("model_type"))[:80])
    names = folder.names
    vocabularies = {"tokenizer.json", *_VOCABULARIES} & names or {"vocab.json", "merges.txt"} <= names
    if not vocabularies and not any(name.endswith(".tiktoken") for name in names):
        raise ModelNotUsable(path, "no-tokenizer", "tokenizer.json")
    return _check_weights(folder, may_lack)


def check_encoder(folder: ModelFolder) -> None:
    """Check the folder of an encoder that makes embeddings like `check_folder`. Raises `ModelNotUsable`."""
    config = _checked_config(folder)
    if not encoder_family(config):
        raise ModelNotUsable(folder.path, "unknown-architecture", str(config.get("model_type"))[:80])
    if "tokenizer.json" not in folder.names:
        raise ModelNotUsable(folder.path, "no-tokenizer", "tokenizer.json")
    _check_weights(folder, frozenset())
    _check_tokenizer_content(folder.path)


def _checked_config(folder: ModelFolder) -> dict[str, Any]:
    """Return the configuration of a folder that is no head and asks for no code. Raises `ModelNotUsable`."""
    names = folder.names
    if folder.head is not None:
        raise ModelNotUsable(folder.path, "is-head", folder.head)
    config = folder.config
    _check_code(folder.path, config)
    _check_files(folder.path, names)
    return config


def tokenizer_files(path: Path) -> list[Path]:
    """Return the files of a checked folder that decide the ids of its tokenizer."""
    names = [name for name in sorted(ModelFolder(path).names) if "/" not in name]
    known = {"tokenizer.json", "vocab.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}
    known.update(_VOCABULARIES)
    return [path / name for name in names if name in known or name.endswith(_VOCABULARY_SUFFIXES)]


def digest_of_small_files(path: Path) -> str:
    """Return a digest of all files of a checked folder that mlx-lm or Transformers may read, weights apart."""
    digest = hashlib.sha256()
    for name in sorted(ModelFolder(path).names):
        if (limit := _largest(name)) is not None:
            content = hashlib.sha256(read_bytes(path / name, limit)).hexdigest()
            digest.update(f"{content} {name}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _check_code(folder: Path, config: Mapping[str, Any]) -> None:
    """Refuse settings that ask for Python code; Python files that nothing refers to are ignored and never run."""
    if config.get("model_file") is not None:
        raise ModelNotUsable(folder, "unsafe", "config.json: model_file")
    # It names a file, anywhere, whose rows Qwen 4's code would read.
    if text_config(config).get("ple_storage") is not None:
        raise ModelNotUsable(folder, "unsafe", "config.json: ple_storage")
    if not os.path.exists(folder / "tokenizer_config.json"):
        return
    settings = read_json(folder, "tokenizer_config.json", CONFIG)
    if _asks_for_tokenizer_code(settings):
        raise ModelNotUsable(folder, "unsafe", "tokenizer_config.json: auto_map")
    if settings.get("init_inputs"):
        raise ModelNotUsable(folder, "unsafe", "tokenizer_config.json: init_inputs")
    for key, kind in (("chat_template_type", "chat_templates"), ("tool_parser_type", "tool_parsers")):
        if settings.get(key) and not plugin_exists(kind, settings[key]):
            raise ModelNotUsable(folder, "unsafe", f"tokenizer_config.json: {key}")
    for key, name in _named_files(settings):
        if stays_inside(folder, name):
            continue
        # Old exports contain paths of the machine on which they were made; only a path that exists here can be read.
        if key == "fast_tokenizer_files" or not isinstance(name, str) or os.path.exists(folder / name):
            raise ModelNotUsable(folder, "unsafe", f"tokenizer_config.json: {key} leads outside the folder")


def _asks_for_tokenizer_code(settings: Mapping[str, Any]) -> bool:
    auto_map = settings.get("auto_map")
    if isinstance(auto_map, Mapping):
        auto_map = auto_map.get("AutoTokenizer")
    if not auto_map:
        return False
    name = settings.get("tokenizer_class")
    return not (isinstance(name, str) and transformers_has_tokenizer(name))


def _named_files(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if key == "fast_tokenizer_files" and isinstance(value, list):
            yield from ((key, item) for item in value)
        elif key.endswith("_file") and value is not None:
            yield key, value


def _check_files(folder: Path, names: frozenset[str]) -> None:
    """Raise `ModelNotUsable` if a file that mlx-lm or Transformers may read is not a regular one, or is too large."""
    for name in sorted(names):
        limit = _largest(name)
        if limit is None:
            continue
        try:
            with open_regular(folder / name) as file:
                size = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise ModelNotUsable(folder, "damaged", f"{name} ({error.strerror or 'cannot be read'})") from error
        if size > limit:
            raise ModelNotUsable(folder, "damaged", f"{name} (larger than {limit} bytes)")
        try:
            if name in _SMALL_JSON:
                check_structure(read_bytes(folder / name, CONFIG.size), CONFIG)
        except UntrustedJsonError as error:
            raise ModelNotUsable(folder, "damaged", f"{name} ({error})") from error


def _largest(name: str) -> int | None:
    """Return the most bytes that a file of that name may have; None for weights and files that nothing reads."""
    if name in (INDEX_NAME, "tokenizer.json"):
        return max(INDEX.size, TOKENIZER.size)
    if name.endswith(_VOCABULARY_SUFFIXES) or name in _VOCABULARIES or name == "vocab.json":
        return TOKENIZER.size
    if name.endswith(".jinja"):
        return _TEMPLATE_BYTES
    return CONFIG.size if name.endswith((".json", ".jsonl")) else None


def _check_tokenizer_content(folder: Path) -> None:
    path = folder / "tokenizer.json"
    if not os.path.exists(path):
        return
    try:
        data = read_bytes(path, TOKENIZER.size)
        content = None
        if any(step in data for step in (b'"Replace"', b'"Prepend"', b'"Metaspace"', b'"WordPiece"')):
            content = parse(data, TOKENIZER)
        else:
            check_structure(data, TOKENIZER)
    except UntrustedJsonError as error:
        raise ModelNotUsable(folder, "no-tokenizer", f"tokenizer.json: {error}") from error
    if b'"model"' not in data:
        raise ModelNotUsable(folder, "no-tokenizer", "tokenizer.json: no vocabulary")
    if isinstance(content, dict) and grows_without_bounds(content):
        raise ModelNotUsable(folder, "no-tokenizer", "tokenizer.json: it makes thousands of characters of one")


def _check_weights(folder: ModelFolder, may_lack: Set[str]) -> dict[str, TensorHeader]:
    path = folder.path
    config = folder.config
    if (absent := folder.missing_weights(may_lack)) is not None:
        raise ModelNotUsable(path, "incomplete", absent)
    tensors = folder.tensors
    if not tensors:
        raise ModelNotUsable(path, "wrong-tensors", "no tensors")
    if all(os.path.exists(path / name) for name in may_lack):
        _check_layers(path, tensors, config)
    _check_rows(path, tensors, config)
    _check_types(path, tensors, config)
    return tensors


def _check_types(folder: Path, tensors: Mapping[str, TensorHeader], config: Mapping[str, Any]) -> None:
    """Raise `ModelNotUsable` for integer weights if the configuration does not say that they are quantised."""
    if any(text_config(config).get(key) for key in ("quantization", "quantization_config")):
        return
    for name, tensor in tensors.items():
        if name.endswith(".weight") and not tensor.dtype.startswith(("F", "BF")):
            raise ModelNotUsable(folder, "wrong-tensors", f"{name} holds {tensor.dtype}")


def _check_layers(folder: Path, tensors: Mapping[str, TensorHeader], config: Mapping[str, Any]) -> None:
    """Raise `ModelNotUsable` if tensors are named by layer and a layer of the configuration is missing."""
    expected = text_config(config).get("num_hidden_layers")
    if not isinstance(expected, int):
        return
    layers = {int(match[1]) for name in tensors if (match := LAYER.match(name))}
    lacking = set(range(expected)) - layers
    if layers and lacking:
        raise ModelNotUsable(folder, "wrong-tensors", f"layer {min(lacking)} of {expected} is missing")


def _check_rows(folder: Path, tensors: Mapping[str, TensorHeader], config: Mapping[str, Any]) -> None:
    """Raise `ModelNotUsable` if a table lacks rows that mlx-lm reads or writes: it would do so behind the end."""
    kind = str(config.get("model_type"))
    rows = {
        match[1]: tensor.shape[0] for name, tensor in tensors.items() if tensor.shape and (match := _TABLE.search(name))
    }
    needed = {
        _PER_LAYER: 0 if kind in _MASKS_TOKENS_WITHOUT_ROWS else rows.get("embed_tokens", 0),
        "embed_tokens": _ROWS_OF_PHI3SMALL if kind == "phi3small" else 0,
        "wpe": context_length(config) or 0,
    }
    for name, known in rows.items():
        if known < needed[name]:
            raise ModelNotUsable(folder, "wrong-tensors", f"{name} has {known} rows of {needed[name]}")
