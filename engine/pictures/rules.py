"""What a picture costs with a loaded main model: plain data that may cross threads. Imports no MLX."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.pictures.family import PictureLayout
    from engine.pictures.positions import Axes


@dataclass(frozen=True)
class PictureRules:
    """How a model of the family `kind` reads pictures, given its `settings`."""

    kind: str
    settings: dict[str, float] = field(default_factory=dict, hash=False)

    def layout(self, width: int, height: int) -> PictureLayout:
        """Return the layout of a picture of `width` times `height` pixels."""
        # Imported here: NumPy would delay the window's first frame.
        from engine.pictures.families import FAMILIES

        return FAMILIES[self.kind].layout(self.settings, width, height)

    def tokens(self, width: int, height: int) -> int:
        """Return the tokens that a picture of `width` times `height` pixels takes."""
        return self.layout(width, height).cost

    @property
    def bidirectional(self) -> float:
        """Bidirectional attention among a picture's tokens: 0 for none, 1 for all layers, 2 for sliding windows."""
        return self.settings.get("bidirectional", 0)

    @property
    def axes(self) -> Axes | None:
        """The axes of positions, None if these are the indices of tokens."""
        from engine.pictures.positions import Axes

        settings = self.settings
        if "time" not in settings:
            return None
        sections = (int(settings["time"]), int(settings["row"]), int(settings["column"]))
        return Axes(sections, interleaved=bool(settings["interleaved"]))
