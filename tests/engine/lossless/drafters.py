"""The main models that the table of losslessness asks, and every kind of drafter for them, written on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.files.steps import run_to_completion
from engine.main_model.loading import display_name, load_in_steps
from engine.main_model.low_rank import adapter_of, add_adapter
from engine.serving.scheduler import Scheduler
from engine.status import TeachingResult
from engine.teaching.kept import TaughtFile
from tests.engine.serving_requests import set_draft
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.tokenizers_in_test import byte_level, metaspace
from tests.tiny_adapters import write_adapter
from tests.tiny_assistant import write_assistant
from tests.tiny_eagle import write_eagle_head
from tests.tiny_heads import write_head
from tests.tiny_models import QWEN3, SPECIAL, TEMPLATE, train_tokenizer, write_disturbed_copy, write_model
from tests.tiny_mtp import write_mtp_head
from tests.tiny_vision import MODELS, write_vision_model

MARKS = [*SPECIAL, "<tool_call>", "</tool_call>", "<think>", "</think>"]


def write_text_model(folder: Path, config: Mapping[str, Any] = QWEN3) -> Path:
    """Write a model whose template opens thoughts for a request with the option "opened"."""
    config = {**config, "max_position_embeddings": 2048}
    write_model(folder, seed=1, config=config, tokenizer=train_tokenizer(special=MARKS))
    opened = "assistant\n{% if opened %}<think>\n{% endif %}{% endif"
    (folder / "chat_template.jinja").write_text(TEMPLATE.replace("assistant\n{% endif", opened))
    return folder


def _write_adapter(folder: Path) -> Path:
    """Write an adapter beside the model that it belongs to."""
    base = write_text_model(folder / "base")
    return write_adapter(base, base / "adapters" / "style")


# By the names that `Asked.main` has; each writes a main model into a new folder, and returns the folder to load.
MAINS: dict[str, Callable[[Path], Path]] = {
    "text": write_text_model,
    "adapter": _write_adapter,
    "gemma4": lambda folder: write_text_model(folder, {**FAMILIES["gemma4"], "model_type": "gemma4"}),
    "pictures": lambda folder: write_vision_model(folder, MODELS["qwen3_5"]),
}


def base_of(main: str, folder: Path) -> Path:
    """Return the folder with the weights that a drafter is made for; `folder` is what `MAINS[main]` returned."""
    return folder.parents[1] if main == "adapter" else folder


# Each writes a drafter of the main model in the second folder into the first, which is new.
DRAFTERS: dict[str, Callable[[Path, Path], Path]] = {
    "draft model": lambda folder, main: write_disturbed_copy(main, folder, amount=0.02),
    "other bytes": lambda folder, _: write_model(folder, seed=8, tokenizer=byte_level(420, True)),
    "other words": lambda folder, _: write_model(folder, seed=8, tokenizer=metaspace()),
    "dflash": lambda folder, main: write_head(folder, main, layers=("sliding_attention", "full_attention")),
    "eagle": write_eagle_head,
    "eagle of few tokens": lambda folder, main: write_eagle_head(folder, main, drafted=64),
    "mtp": write_mtp_head,
    "assistant": lambda folder, main: write_assistant(folder, main, ordered=True),
    "taught": lambda folder, main: write_disturbed_copy(main, folder, amount=0.02),
}


def teach(scheduler: Scheduler, draft: Path) -> None:
    """Let the draft model in use have been taught something that changes what it drafts."""
    folder = scheduler.models.settings.taught_folder
    assert folder is not None
    copy = run_to_completion(load_in_steps(draft, adapt=add_adapter))
    weights = {name: array + 0.02 for name, array in adapter_of(copy.model).items()}
    file = TaughtFile(folder, scheduler.models.main, draft, display_name(draft, draft))
    file.write(weights, TeachingResult(0.5, 0.6, better=True))
    drafter = set_draft(scheduler, draft).draft
    assert drafter is not None
    assert drafter.taught
