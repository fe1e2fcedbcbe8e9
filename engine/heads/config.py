"""What a head is made of: what all kinds have, and the sizes, layers and refiners of the DFlash family.

`read_config` makes one of a config.json in any of the published dialects; everything that a person could have written
wrongly is checked there, so that networks are built from sound numbers only. No mlx here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class HeadShape(Protocol):
    """What is known of every kind of head before it is loaded.

    `taps` are layers of the main model, counted from 0, `tap_width` the width of each. `main_layers` is None where the
    configuration does not say; there are `least_layers` at least. `vocabulary` is the main model's. A head keeps
    `row_elements` numbers of one token in each layer; `windows` are those layers, None for one that sees everything.
    `inner` is the widest activation, `made_for` a repository or "".
    """

    @property
    def kind(self) -> str: ...
    @property
    def taps(self) -> tuple[int, ...]: ...
    @property
    def tap_width(self) -> int: ...
    @property
    def main_layers(self) -> int | None: ...
    @property
    def least_layers(self) -> int: ...
    @property
    def vocabulary(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def inner(self) -> int: ...
    @property
    def proposals(self) -> int: ...
    @property
    def block_rows(self) -> int: ...
    @property
    def windows(self) -> tuple[int | None, ...]: ...
    @property
    def row_elements(self) -> int: ...
    @property
    def made_for(self) -> str: ...


@dataclass(frozen=True, slots=True)
class RopeConfig:
    """Rotary positions: `scaling` is the dictionary that `mlx_lm.models.rope_utils.initialize_rope` reads, or None."""

    base: float
    traditional: bool
    max_positions: int
    scaling: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class LayerConfig:
    """One layer: `window` in tokens, None for full attention; `causal` is its attention inside the block."""

    window: int | None
    causal: bool
    rope: RopeConfig


@dataclass(frozen=True, slots=True)
class SelectorConfig:
    """DFlash2: choose each token among the `top_k` likeliest by its predecessor. Kernels of the convolutions."""

    rank: int
    top_k: int
    kernel: int
    group: int


@dataclass(frozen=True, slots=True)
class MarkovConfig:
    """DSpark: a bias from the token before. `style` is vanilla, gated or rnn.

    `confidence` is the width of what its confidence reads; 0 without one.
    """

    rank: int
    style: str
    confidence: int = 0


@dataclass(frozen=True, slots=True)
class GruConfig:
    """Domino: a bias from a GRU over the tokens so far, from draft token `prefix` on."""

    width: int
    inner: int
    prefix: int


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """A head of the DFlash family.

    `taps` are main-model layers, counted from 0, `tap_width` the width of each. `main_layers` is None where the
    configuration does not say. `vocabulary` is the main model's, `draft_vocabulary` the rows of the head's own output
    matrix. `proposals` is the most draft tokens of a block; `anchor_predicts` is true if the anchor's own row is the
    first of them; a block has `spare_rows` masks more than it needs. `window_before_anchor` measures a layer's window
    from the anchor for all rows of the block, not from each row.

    `sandwich` layers are Gemma 4's: norms before and behind each sublayer, a factor for the whole layer, GELU,
    attention without a scale. With `keys_are_values` they have one projection for both.

    MiMo's multiply values by `value_scale`, turn the first `rotated` numbers of each attention head by positions (None:
    all), and have an embedding of the mask token of their own, since the main model's was never trained.
    """

    kind: str
    dialect: str
    width: int
    inner: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    layers: tuple[LayerConfig, ...]
    taps: tuple[int, ...]
    tap_width: int
    main_layers: int | None
    vocabulary: int
    draft_vocabulary: int
    mask_token: int
    proposals: int
    anchor_predicts: bool = False
    spare_rows: int = 0
    window_before_anchor: bool = False
    tap_norms: bool = False
    gated: bool = False
    sinks: bool = False
    bias: bool = False
    sandwich: bool = False
    keys_are_values: bool = False
    value_scale: float = 1.0
    rotated: int | None = None
    own_mask: bool = False
    own_embedding: bool = False
    own_output: bool = False
    embedding_scale: float = 1.0
    output_multiplier: float = 1.0
    soft_cap: float = 0.0
    refiner: SelectorConfig | MarkovConfig | GruConfig | None = None
    made_for: str = ""

    @property
    def block_rows(self) -> int:
        """Rows of the widest block: anchor and masks."""
        return self.proposals + (0 if self.anchor_predicts else 1) + self.spare_rows

    @property
    def least_layers(self) -> int:
        return self.main_layers or self.taps[-1] + 1

    @property
    def windows(self) -> tuple[int | None, ...]:
        """The window of each layer; None sees everything."""
        return tuple(layer.window for layer in self.layers)

    @property
    def row_elements(self) -> int:
        """Numbers that one layer keeps of one token."""
        return 2 * self.kv_heads * self.head_dim
