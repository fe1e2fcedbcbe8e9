"""The context that proposers are built from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.ahead.drafting_ahead import DraftingAhead
from engine.answer_index.index import AnswerIndex
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.sampling import Sampler
from engine.requests import SpeculationSettings
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.sources import Drafter, DraftSource, HeadSource


@dataclass(frozen=True, slots=True)
class ProposerContext:
    """One request: its models, the conversation whose main sequence holds the prompt, its sampler and its settings.

    `drafter` is the draft model or the head in use, `ahead` the draft runner's part in this answer, and `answers` the
    index of earlier answers, if any.
    """

    main: LoadedModel
    drafter: Drafter | None
    conversation: CachedConversation
    sampler: Sampler
    settings: SpeculationSettings
    answers: AnswerIndex | None = None
    ahead: DraftingAhead | None = None

    @property
    def draft(self) -> DraftSource | None:
        """The draft model, if the drafter is one."""
        return self.drafter if isinstance(self.drafter, DraftSource) else None

    @property
    def head(self) -> HeadSource | None:
        """The head, if the drafter is one."""
        return self.drafter if isinstance(self.drafter, HeadSource) else None


class ProposerUnavailable(Exception):
    """The proposer cannot serve this request. `engine.stats.PlainSpan` lists the reasons and their arguments."""

    def __init__(self, reason: str, *arguments: tuple[str, str]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.arguments = arguments
