"""Draft models prepared for a main model: the translation between the tokenizers, and compiled steps."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.foreign_code import panics_as_errors
from engine.files.steps import Steps, result_of
from engine.main_model.loading import LoadedModel
from engine.requests import MAX_DEPTH
from engine.speculation.drafters.translation import Translation
from engine.speculation.rounds.compiled_steps import CompiledSteps, compiled_steps
from engine.status import ModelInfo
from engine.tokenizers.vocabulary import vocabulary_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DraftSource:
    """A draft model for one main model.

    `translation` is None if both models have the same ids, `steps` if no pass can be compiled.
    """

    model: LoadedModel
    translation: Translation | None
    steps: CompiledSteps | None

    # The proposer that drafts with it.
    source: ClassVar[str] = "draft"

    @property
    def max_proposals(self) -> int:
        """The most draft tokens of one proposal."""
        return MAX_DEPTH

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    @property
    def config(self) -> Mapping[str, Any]:
        return self.model.config


def prepare_draft(main: LoadedModel, draft: LoadedModel) -> Steps[DraftSource]:
    """Prepare `draft` to draft for `main`, in short steps. Raises `ModelNotUsable`."""
    with DiskPool() as pool:
        try:
            translation = yield from result_of(pool.start(_translation_between, main, draft))
        # A malformed tokenizer can raise anything.
        except Exception as error:
            log.exception("the tokenizer of %s cannot be compared with the main model's", draft.info.name)
            raise ModelNotUsable(draft.info.path, "no-tokenizer", str(error)) from error
    steps = yield from compiled_steps(draft)
    return DraftSource(draft, translation, steps)


def _translation_between(main: LoadedModel, draft: LoadedModel) -> Translation | None:
    """Return the translation between the two tokenizers; None if their ids are the same."""
    with panics_as_errors():
        if vocabulary_of(main.tokenizer).ids == vocabulary_of(draft.tokenizer).ids:
            return None
        for model in (main, draft):
            # Build the tokenizer now, so that no round has to wait for it.
            model.encode("a")
        return Translation(main.tokenizer, draft.tokenizer, main.encode, draft.encode)
