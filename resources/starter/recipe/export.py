"""A trained model as a folder that mlx-lm loads: configuration, bfloat16 weights, tokenizer."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

import torch
from safetensors.torch import save_file

from resources.starter.recipe.tokenizer import END_OF_TEXT, TURN_END, write_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer

    from resources.starter.recipe.model import LanguageModel


def export_model(model: LanguageModel, tokenizer: Tokenizer, folder: Path) -> None:
    """Write `folder`, replacing the files it holds."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.to(torch.bfloat16).contiguous() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    end, padding = tokenizer.token_to_id(TURN_END), tokenizer.token_to_id(END_OF_TEXT)
    config = {**model.shape.config(), "torch_dtype": "bfloat16", "eos_token_id": end, "pad_token_id": padding}
    _write_json(folder / "config.json", config)
    _write_json(folder / "generation_config.json", {"eos_token_id": [end, padding], "pad_token_id": padding})
    write_tokenizer(tokenizer, folder, model.shape.max_position_embeddings)


def write_checksums(target: Path) -> None:
    """Pin what target/main and target/draft hold in target/SHA256SUMS, in the format of sha256sum."""
    files = sorted(path for name in ("main", "draft") for path in (target / name).iterdir())
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(target).as_posix()}" for path in files]
    (target / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
