"""A trained model as a folder that mlx-lm loads: configuration, bfloat16 weights, tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file

from resources.starter.recipe.head import Head
from resources.starter.recipe.model import LanguageModel
from resources.starter.recipe.tokenizer import END_OF_TEXT, TURN_END, write_tokenizer
from resources.starter.recipe.written_files import write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tokenizers import Tokenizer

    from resources.starter.recipe.chain_head import ChainHead
    from resources.starter.recipe.head import HeadShape
    from resources.starter.recipe.model import Shape


def load_model(shape: Shape, folder: Path) -> LanguageModel:
    """Load the model of an exported folder, in float32."""
    model = LanguageModel(shape)
    model.load_state_dict({name: value.float() for name, value in load_file(folder / "model.safetensors").items()})
    return model


def export_model(
    model: LanguageModel, tokenizer: Tokenizer, folder: Path, answers: Mapping[str, Any] | None = None
) -> None:
    """Write `folder`, replacing its files. `answers` is what Tandem knows of the model's answers."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.to(torch.bfloat16).contiguous() for name, value in model.state_dict().items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    end, padding = tokenizer.token_to_id(TURN_END), tokenizer.token_to_id(END_OF_TEXT)
    config = {**model.shape.config(), "torch_dtype": "bfloat16", "eos_token_id": end, "pad_token_id": padding}
    write_json(folder / "config.json", config)
    # It has learned one answer to each question: other tokens than the likeliest are mistakes.
    generation = {"do_sample": False, "eos_token_id": [end, padding], "pad_token_id": padding}
    write_json(folder / "generation_config.json", generation)
    if answers is not None:
        write_json(folder / "answers.json", answers)
    write_tokenizer(tokenizer, folder, model.shape.max_position_embeddings)


def export_head(head: Head | ChainHead, folder: Path) -> None:
    """Write `folder` as heads are published: configuration and bfloat16 weights, no tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: (value.to(torch.bfloat16) if value.is_floating_point() else value).contiguous()
        for name, value in head.state_dict().items()
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)
    write_json(folder / "config.json", {**head.shape.config(), "torch_dtype": "bfloat16"})


def load_head(shape: HeadShape, folder: Path) -> Head:
    """Load the head of an exported folder, in float32."""
    head = Head(shape)
    head.load_state_dict({name: value.float() for name, value in load_file(folder / "model.safetensors").items()})
    return head
