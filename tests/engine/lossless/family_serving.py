"""Schedulers that serve tiny models of many families with drafts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.engine.serving_requests import load_models
from tests.engine.speculation.families import model_type, stored_for
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.vlm_configs import VLM_FAMILIES
from tests.tiny_models import write_disturbed_copy, write_model

# Dense, windows, latent, experts, recurrent and hybrid; the last four take turns.
CAMPAIGN = (
    "llama", "qwen3", "phi3", "gpt2", "mixtral", "starcoder2", "cohere2", "gemma3_text", "gpt_oss", "olmo3",
    "granite", "deepseek_v3", "minicpm3", "qwen3_next", "qwen3_5", "falcon_h1", "mamba2", "lfm2", "granitemoehybrid",
    "kimi_linear", "recurrent_gemma", "nemotron_h", "llama4", "gemma2",
)  # fmt: skip


@contextmanager
def serving(name: str, folder: Path, kv_bits: int | None = None) -> Iterator[tuple[Scheduler, list[Path]]]:
    """Serve a tiny model of a family; yields the scheduler and two drafts: one agrees often, the other does not."""
    config, stored = {"model_type": model_type(name), **(FAMILIES | VLM_FAMILIES)[name]}, stored_for(name)
    main = write_model(folder / "main", seed=1, config=config, stored=stored)
    drafts = [
        write_disturbed_copy(main, folder / f"draft {amount}", amount=amount, stored=stored) for amount in (0.02, 0.5)
    ]
    scheduler = Scheduler(EngineSettings(most_active=8, kv_bits=kv_bits))
    load_models(scheduler, main, drafts[0])
    yield scheduler, drafts
    scheduler.close()
