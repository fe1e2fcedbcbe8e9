"""Heads bound to a main model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.errors import ModelNotUsable
from engine.heads.head import Head
from engine.main_model.loading import LoadedModel
from engine.speculation.rounds.taps import CannotTap, Taps
from engine.status import ModelInfo


@dataclass(frozen=True, slots=True)
class HeadSource:
    """A head that reads the outputs `taps` of the main model.

    `info` describes it as a model; `config` is that of `engine.heads.fit.memory_config`.
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
        return self.head.max_proposals


def prepare_head(main: LoadedModel, head: Head, info: ModelInfo, config: Mapping[str, Any] | None = None) -> HeadSource:
    """Bind `head` to `main`. Raises `ModelNotUsable` if the two do not fit or the main model cannot be tapped."""
    from engine.speculation.rounds.main_ports import main_ports

    try:
        head.bind(main_ports(main))
        return HeadSource(head, info, Taps(main.model, head.taps), config or {})
    except CannotTap as error:
        raise ModelNotUsable(info.path, "no-taps", f"{main.info.architecture}: {error.problem}") from error
