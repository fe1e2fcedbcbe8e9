"""A main model in memory with its drafting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.main_model.loaded_model import LoadedModel
from engine.speculation.drafting import Drafting
from engine.status import LoadedPair


@dataclass(frozen=True, eq=False, slots=True)
class ResidentModel:
    """A main model in memory, with its drafting."""

    main: LoadedModel
    drafting: Drafting

    @property
    def path(self) -> Path:
        return self.main.info.path

    @property
    def pair(self) -> LoadedPair:
        drafter = self.drafting.drafter
        return LoadedPair(self.main.info, None if drafter is None else drafter.info)

    @property
    def bytes(self) -> int:
        """The bytes of the weights of both models, and of the tower once it is loaded."""
        drafter = self.drafting.drafter
        reduced = self.drafting.reduced
        vision = self.main.vision
        total = self.main.info.bytes + (0 if drafter is None else drafter.info.bytes)
        total += 0 if vision is None else vision.bytes - vision.bytes_to_load
        return total if reduced is None else total + reduced.nbytes
