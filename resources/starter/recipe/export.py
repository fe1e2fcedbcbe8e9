"""A trained model as a folder that mlx-lm loads: configuration, bfloat16 weights, tokenizer."""

from __future__ import annotations

import json
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
    end, padding = tokenizer.token_to_id(TURN_END), tokenizer.token_to_id(END_OF_TEXT)
    config = {**model.shape.config(), "torch_dtype": "bfloat16", "eos_token_id": end, "pad_token_id": padding}
    _write_json(folder / "config.json", config)
    _write_json(folder / "generation_config.json", {"eos_token_id": [end, padding], "pad_token_id": padding})
    write_tokenizer(tokenizer, folder, model.shape.max_position_embeddings)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
