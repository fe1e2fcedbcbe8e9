"""A main model or draft model in memory: its layers, tokenizer and limits, and what makes its prompts and caches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import mlx.nn as nn
from mlx_lm.models.cache import CacheList, KVCache, make_prompt_cache

from engine.errors import EngineClosed, ModelCannotSee
from engine.files.steps import Steps, result_of
from engine.main_model.grammar_compiler import GrammarCompiler
from engine.model_files.thought_marks import THOUGHT_MARKS
from engine.pictures.reading import PictureFiles
from engine.pictures.vision_tower import RequestPictures, VisionTower
from engine.status import ModelInfo
from engine.tokenizers.prompt_process import PROMPT_PROCESS
from engine.tokenizers.prompts import PromptJob, render
from engine.tokenizers.tasks import TokenizerSource
from engine.tokenizers.vocabulary import mark_tokens, parts_of_characters, vocabulary_of

# The interval at which a call that waits for a prompt checks whether to stop.
_STOP_WAIT_S = 0.05


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model ready to run.

    `vocabulary` counts the ids that the tokenizer knows; later output rows are padding. `end_tokens` are the ids that
    end a turn. `config` is config.json; `kv_group` is the number of values that share a scale in quantised caches.
    `rows` is the number of ids that the model knows, perhaps fewer than its tokenizer; None if they were not counted.
    """

    info: ModelInfo
    model: nn.Module
    tokenizer: Any
    vocabulary: int
    end_tokens: frozenset[int]
    config: Mapping[str, Any] = field(default_factory=dict)
    kv_group: int = 0
    rows: int | None = None
    # The source from which the prompt process makes prompts; None if folder and tokenizer are known to be good.
    prompt_source: TokenizerSource | None = None
    # None if the model cannot see.
    vision: VisionTower | None = None
    # What `engine.files.folder_paths.states_of` returned for the files that decide what the model computes, when they
    # were read.
    states: Mapping[Path, tuple[int, int]] = field(default_factory=dict)

    def new_caches(self) -> list[Any]:
        """Return empty caches, one for each layer: those that the model defines, or with quantised full attention."""
        return new_caches_of(self.model, self.info.kv_bits, self.kv_group)

    @cached_property
    def thought_marks(self) -> tuple[tuple[str, int], tuple[str, int]] | None:
        """The marks before and after thoughts with their tokens; None if the model has no single tokens for them."""
        return mark_tokens(self.tokenizer, THOUGHT_MARKS)

    def token_of(self, text: str) -> int | None:
        """Return the id of a text that is a single token of the vocabulary."""
        return token_of(self.tokenizer, text)

    def reader(self, files: PictureFiles) -> RequestPictures:
        """Return what reads the pictures of a request. Raises `ModelCannotSee`."""
        if self.vision is None or self.info.pictures is None:
            # On several machines, the other ranks would need the embeddings, too.
            raise ModelCannotSee(self.info.name, "" if self.vision is None else "cluster")
        return RequestPictures(self.vision, self.model, files)

    @cached_property
    def parts_of_characters(self) -> Mapping[int, bytes]:
        """The bytes of the ids whose bytes alone are no text."""
        return parts_of_characters(vocabulary_of(self.tokenizer))

    @cached_property
    def grammars(self) -> GrammarCompiler:
        """The compiler of grammars for answers of this model."""
        return GrammarCompiler(self.tokenizer, self.vocabulary, self.end_tokens)

    def prompt_ids(self, messages: Sequence[Mapping[str, str]], stop: Callable[[], bool] = lambda: False) -> list[int]:
        """Return the prompt for a conversation, made in the same process as requests' prompts. Waits for it.

        Raises `TemplateFailed`, `PromptTooLong`, and `EngineClosed` once `stop()` is true.
        """
        if self.prompt_source is None:
            return render(self.tokenizer, messages)
        call = PROMPT_PROCESS.start_prompt(self.prompt_source, PromptJob(messages, self.info.context_length))
        while not wait([call], _STOP_WAIT_S).done:
            if stop():
                call.abandoned.set()
                raise EngineClosed
        return call.result().ids

    def prompt_in_steps(self, messages: Sequence[Mapping[str, Any]]) -> Steps[list[int]]:
        """Return the prompt for a conversation, as steps that wait for it. Raises as `prompt_ids` does."""
        if self.prompt_source is None:
            return render(self.tokenizer, messages)
        call = PROMPT_PROCESS.start_prompt(self.prompt_source, PromptJob(messages, self.info.context_length))
        return (yield from result_of(call)).ids


def new_caches_of(model: nn.Module, bits: int | None, group: int) -> list[Any]:
    """Return empty caches of a model. Caches of full attention have `bits` bits in groups of `group` values, if any."""
    caches: list[Any] = make_prompt_cache(model)
    return caches if bits is None else [_quantised(cache, bits, group) for cache in caches]


def _quantised(cache: Any, bits: int, group: int) -> Any:
    """Return the cache with entries of `bits` bits if it is one of full attention, else the cache itself."""
    if type(cache) is CacheList:
        return CacheList(*(_quantised(nested, bits, group) for nested in cache.caches))
    return cache.to_quantized(group_size=group, bits=bits) if type(cache) is KVCache else cache


def token_of(tokenizer: Any, text: str) -> int | None:
    """Return the id of a text that is a single token of a tokenizer."""
    token = tokenizer.convert_tokens_to_ids(text) if text else None
    return token if isinstance(token, int) and tokenizer.convert_ids_to_tokens(token) == text else None
