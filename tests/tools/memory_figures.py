"""Prints what the picker says of published models on Macs of several sizes: `python -m tests.tools.memory_figures`.

The models are those of `tests.engine.advice.real_configs`, with weights of 4.5 bits. Nothing is downloaded.
"""

from __future__ import annotations

from app.library.entries import Entry, MemoryBudget
from app.library.hub_service import Inventory
from app.library.model_choices import main_choices
from app.wording.models import choice_sentence, fit_words
from engine.advice.fit import ModelSize, largest_context, working_set_limit
from engine.model_files.cache_counting import count_caches
from engine.model_files.config import context_length
from engine.model_files.model import Model
from tests.engine.advice.real_configs import PUBLISHED

MEMORY_GB = (16, 36, 128, 512)
CONTEXT = 32_768


def main() -> None:
    for gigabytes in MEMORY_GB:
        limit = working_set_limit(gigabytes * 2**30)
        print(f"\n{gigabytes} GB of memory, {limit / 1e9:.0f} GB for models, {CONTEXT} tokens")
        entries = tuple(_entry(name, limit) for name in PUBLISHED)
        for choice in main_choices(Inventory((), entries, entries, limit), "", ()):
            assert choice.entry is not None
            assert choice.entry.fit is not None
            size = _size(choice.id)
            longest = largest_context(size, None, limit)
            print(f"{choice.id:22} {choice.verdict:8} {fit_words(choice.entry.fit)}; at most {longest} tokens")
            print(f"{'':22} {2 * size.shape.elements_a_token / 1024:.3f} KiB a token. {choice_sentence(choice)}")


def _size(name: str) -> ModelSize:
    published = PUBLISHED[name]
    return ModelSize(name, int(published.parameters * 4.5 / 8), published.config, count=count_caches)


def _entry(name: str, limit: int) -> Entry:
    size = _size(name)
    longest = context_length(size.config) or CONTEXT
    config = {**size.config, "cache_shape": size.shape}
    weights = {"bytes": size.weight_bytes, "weight_bytes": size.weight_bytes}
    model = Model(name, "catalog", name, bits=4, context=longest, config=config, roles=("main",), **weights)
    return Entry(**vars(model), **MemoryBudget(CONTEXT, limit).judge(model))


if __name__ == "__main__":
    main()
