"""What a proposer is built from."""

from __future__ import annotations

from dataclasses import dataclass

from engine.conversation import Conversation
from engine.loading import LoadedModel
from engine.requests import SpeculationSettings
from engine.sampling import Sampler
from engine.speculation.draft_source import DraftSource


@dataclass(frozen=True, slots=True)
class ProposerContext:
    """One request: its models, the conversation whose main sequence holds the prompt, its sampler and its settings."""

    main: LoadedModel
    draft: DraftSource | None
    conversation: Conversation
    sampler: Sampler
    settings: SpeculationSettings


class ProposerUnavailable(Exception):
    """The proposer cannot serve this request, for a reason that `engine.stats.PlainSpan` lists with its arguments."""

    def __init__(self, reason: str, *arguments: tuple[str, str]) -> None:
        super().__init__(reason)
        self.reason, self.arguments = reason, arguments
