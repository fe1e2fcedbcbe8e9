"""Drafters bound to a main model: draft models with their translation and compiled steps, and heads with their taps."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.foreign_code import panics_as_errors
from engine.files.steps import Steps, result_of
from engine.heads.head import Head
from engine.main_model.loaded_model import LoadedModel
from engine.requests import MAX_DRAFTED
from engine.speculation.drafters.translation import Translation
from engine.speculation.rounds.compiled_steps import CompiledSteps, compiled_steps
from engine.speculation.rounds.taps import CannotTap, Taps
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
        return MAX_DRAFTED

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    @property
    def config(self) -> Mapping[str, Any]:
        return self.model.config


@dataclass(frozen=True, slots=True)
class HeadSource:
    """A head that reads the outputs `taps` of the main model.

    `info` describes it as a model; `config` is made by `engine.heads.fit.memory_config`.
    """

    head: Head
    info: ModelInfo
    taps: Taps
    config: Mapping[str, Any] = field(default_factory=dict)

    # The proposer that drafts with it.
    source: ClassVar[str] = "head"

    @property
    def max_proposals(self) -> int:
        """The most draft tokens of one proposal."""
        return min(MAX_DRAFTED, self.head.max_proposals)


# What drafts for a main model.
Drafter = DraftSource | HeadSource


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
        alike = vocabulary_of(main.tokenizer).ids == vocabulary_of(draft.tokenizer).ids
        return None if alike else Translation(main.tokenizer, draft.tokenizer)


def prepare_head(main: LoadedModel, head: Head, info: ModelInfo, config: Mapping[str, Any] | None = None) -> HeadSource:
    """Bind `head` to `main`. Raises `ModelNotUsable` if the two do not fit or the main model cannot be tapped."""
    from engine.speculation.rounds.main_ports import main_ports

    try:
        head.bind(main_ports(main))
        return HeadSource(head, info, Taps(main.model, head.taps), config or {})
    except CannotTap as error:
        raise ModelNotUsable(info.path, "no-taps", f"{main.info.architecture}: {error.problem}") from error
