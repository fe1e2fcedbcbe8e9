"""The configuration of every head, and the readers of published configurations that several kinds share.

Networks are built from checked numbers only: a setting that is missing or out of range raises `HeadConfigError` with
its name. This module does not import mlx.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.heads.tensors import HeadFiles

_ROPE_TYPES = ("default", "linear", "dynamic", "llama3", "yarn", "longrope", "proportional")
# Heads are trained on short texts, and draft worse with more rows: the 2.6 tokens a round of a DSpark head become 2.0
# at 32k, and 2.6 with the last 4,096 (mlx-dspark). A window gives EAGLE-3 1.9 in place of 1.3 (vllm-ascend#10023), and
# costs MTP heads next to nothing (SGLang#32673).
_CONTEXT_ROWS = 4096
LAYER_TYPES = ("full_attention", "sliding_attention")
_MOST_MAIN_LAYERS = 1_000
_LARGEST_WIDTH = 2**16
_LARGEST_INNER = 2**18
_LARGEST_VOCABULARY = 2**21


# Number and size of the heads of the keys, and of the values, in one cache.
RowShape = tuple[tuple[int, int], tuple[int, int]]


class HeadConfigError(ValueError):
    """A setting, named by the message, is missing or out of range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadConfig:
    """The settings of a head of any kind.

    `taps` are layers of the main model, counted from 0, and `tap_width` is the width of each. `main_layers` is None if
    the configuration does not give it. `vocabulary` is the main model's. `windows` and `shapes` have an entry for each
    cache of rows; a window is None if the configuration gives none. `inner` is the widest activation, `made_for` the
    main model's repository or "".

    Queries see the last `context_rows` of a cache without a window.
    """

    kind: str
    width: int
    inner: int
    vocabulary: int
    taps: tuple[int, ...]
    tap_width: int
    main_layers: int | None
    windows: tuple[int | None, ...]
    shapes: tuple[RowShape, ...]
    proposals: int
    mask_token: int | None = None
    made_for: str = ""
    context_rows: int = _CONTEXT_ROWS

    @property
    def row_windows(self) -> list[int]:
        """The number of rows that a query of each cache sees, its own included."""
        return [self.context_rows if window is None else window for window in self.windows]

    @property
    def row_elements(self) -> list[int]:
        """The numbers that each cache keeps for a token."""
        return [sum(heads * size for heads, size in shape) for shape in self.shapes]

    @property
    def least_layers(self) -> int:
        """The smallest number of layers that the main model can have."""
        return self.main_layers or max(self.taps, default=0) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig(HeadConfig):
    """A head that projects taps to its own layers' width. `draft_vocabulary` counts the rows of its output matrix."""

    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    draft_vocabulary: int
    own_embedding: bool
    own_output: bool

    def own_names(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return the names of a head's tensors, without the main model's tables that some exports repeat.

        The values are the names of our networks.
        """
        is_own = {
            "embed_tokens": self.own_embedding,
            "lm_head": self.own_output,
            "d2t": self.draft_vocabulary != self.vocabulary,
        }
        return {name: ours for name, ours in names.items() if is_own.get(ours.partition(".")[0], True)}


@dataclass(frozen=True, slots=True)
class RopeConfig:
    """Rotary positions. `scaling` is the dictionary that mlx-lm's initialize_rope reads, or None."""

    base: float
    traditional: bool
    max_positions: int
    scaling: Mapping[str, Any] | None = field(default=None, hash=False)


class Settings:
    """Looks settings up in several objects, in their order, and checks them."""

    def __init__(self, *parts: object) -> None:
        self._parts = [part for part in parts if isinstance(part, Mapping)]

    def get(self, *names: str) -> Any:
        """Return the value of the first of `names` that is set and not null, or None."""
        for name in names:
            for part in self._parts:
                if part.get(name) is not None:
                    return part[name]
        return None

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number from `low` to `high`, or `default` if it is not set.

        Raises `HeadConfigError` for anything else, also if it is not set and there is no `default`.
        """
        value = self.get(name)
        value = default if value is None else value
        if type(value) is not int or not low <= value <= high:
            raise HeadConfigError(name)
        return value

    def width(self, name: str) -> int:
        """Return a number that is the width of rows or states; see `whole`."""
        return self.whole(name, 1, _LARGEST_WIDTH)

    def number(self, name: str, default: float, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a number from `low` to `high`, or `default` if it is not set. Raises `HeadConfigError`."""
        value = self.get(name)
        return number(name, default if value is None else value, low, high)

    def flag(self, *names: str) -> bool | None:
        """Return the first of `names` that is set, or None.

        Raises `HeadConfigError` if its value is neither true nor false.
        """
        value = self.get(*names)
        if value is not None and type(value) is not bool:
            raise HeadConfigError(names[0])
        return value

    def head_fields(self, files: HeadFiles, inner: str = "intermediate_size") -> dict[str, Any]:
        """Return the settings that all kinds read in the same way, by the names of `HeadConfig`.

        Only the name of the setting for `inner` varies. Raises `HeadConfigError` for one that is missing or wrong.
        """
        return {
            "kind": files.kind,
            "width": self.width("hidden_size"),
            "inner": self.whole(inner, 1, _LARGEST_INNER),
            "vocabulary": self.whole("vocab_size", 2, _LARGEST_VOCABULARY),
            "made_for": _made_for(files.config),
            "context_rows": min(_CONTEXT_ROWS, self.whole("max_position_embeddings", 1, 2**31, _CONTEXT_ROWS)),
        }

    def attention_sizes(self) -> dict[str, Any]:
        """Return the sizes of attention by the names of `NetworkConfig`.

        Raises `HeadConfigError` if one is missing or out of bounds, or the heads cannot share keys evenly.
        """
        width = self.width("hidden_size")
        heads = self.whole("num_attention_heads", 1, 4096)
        kv_heads = self.whole("num_key_value_heads", 1, heads, heads)
        if heads % kv_heads:
            raise HeadConfigError("num_key_value_heads")
        return {
            "heads": heads,
            "kv_heads": kv_heads,
            "head_dim": self.whole("head_dim", 2, 2**12, max(2, width // heads)),
            "eps": self.number("rms_norm_eps", 1e-6, 0.0, 0.1),
        }

    def draft_vocabulary(self, vocabulary: int, *, own_output: bool) -> int:
        """Return the number of rows of the output matrix, which only a head's own matrix can reduce.

        Raises `HeadConfigError` if it is reduced without a matrix of the head's own.
        """
        drafted = self.whole("draft_vocab_size", 2, vocabulary, vocabulary)
        if drafted != vocabulary and not own_output:
            raise HeadConfigError("draft_vocab_size")
        return drafted

    def layer_types(self, body: Mapping[str, Any], most: int, default: int | None = None) -> list[str]:
        """Return the kind of attention of each layer, at most `most`, and `default` if no number is said.

        Raises `HeadConfigError` if there are more, or of an unknown kind.
        """
        count = self.whole("num_hidden_layers", 1, most, default)
        types = body.get("layer_types") or ["full_attention"] * count
        if not isinstance(types, list) or len(types) != count or any(entry not in LAYER_TYPES for entry in types):
            raise HeadConfigError("layer_types")
        return types

    def rope(self, body: Mapping[str, Any], layer_type: str) -> RopeConfig:
        """Return the rotary positions of layers of one type.

        Raises `HeadConfigError` if they are scaled in a way that is not known.
        """
        scaling = body.get("rope_parameters") or body.get("rope_scaling")
        if isinstance(scaling, Mapping) and isinstance(scaling.get(layer_type), Mapping):
            scaling = scaling[layer_type]
        if scaling is not None and not isinstance(scaling, Mapping):
            raise HeadConfigError("rope_parameters")
        base = (scaling or {}).get("rope_theta")
        if scaling is not None:
            kind = scaling.get("rope_type", scaling.get("type", "default"))
            if kind not in _ROPE_TYPES:
                raise HeadConfigError("rope_parameters")
            for name, value in scaling.items():
                if type(value) in (int, float):
                    number(f"rope_parameters.{name}", value)
            scaling = None if kind == "default" else {**scaling, "rope_type": kind}
        return RopeConfig(
            base=number("rope_theta", self.number("rope_theta", 10000.0) if base is None else base, 1.0, 1e12),
            traditional=self.flag("rope_is_neox_style") is False,
            max_positions=self.whole("max_position_embeddings", 1, 2**31, 2**17),
            scaling=scaling,
        )

    def main_layers(self) -> int | None:
        """Return the main model's number of layers, or None if the configuration does not give it."""
        known = self.get("num_target_layers") is not None
        return self.whole("num_target_layers", 1, _MOST_MAIN_LAYERS) if known else None

    def taps(self, name: str, ids: object, columns: int, shifts: Sequence[int], *, spec: bool) -> list[tuple[int, ...]]:
        """Return the taps that the setting `name` can mean: its ids less each of the `shifts`.

        The last id of speculators' heads can be the final state. It is left out if the tensor that reads the taps has
        no `columns` for it. Raises `HeadConfigError` if the main model has none of the layers.
        """
        hidden = self.width("hidden_size")
        total = self.main_layers()
        if (
            not isinstance(ids, list)
            or not ids
            or any(type(id_) is not int or not 0 <= id_ <= _MOST_MAIN_LAYERS for id_ in ids)
            or any(low >= high for low, high in itertools.pairwise(ids))
        ):
            raise HeadConfigError(name)
        if spec and len(ids) > 1 and columns == (len(ids) - 1) * hidden:
            ids = ids[:-1]
        choices = [tuple(id_ - shift for id_ in ids) for shift in shifts]
        choices = [taps for taps in choices if taps[0] >= 0 and (total is None or taps[-1] < total)]
        if not choices:
            raise HeadConfigError(name)
        return choices


def number(name: str, value: object, low: float = -math.inf, high: float = math.inf) -> float:
    """Return `value` as a finite number from `low` to `high`. Raises `HeadConfigError`."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise HeadConfigError(name)
    if not math.isfinite(value) or not low <= value <= high:
        raise HeadConfigError(name)
    return float(value)


def network_settings(config: Mapping[str, Any]) -> tuple[bool, Mapping[str, Any]]:
    """Return whether a config.json is in speculators' format, and the network's settings, which that format nests.

    Raises `HeadConfigError` if these are no settings.
    """
    spec = config.get("speculators_model_type") is not None
    body = config.get("transformer_layer_config") if spec else config
    if not isinstance(body, Mapping):
        raise HeadConfigError("transformer_layer_config")
    return spec, body


def tap_width(name: str, columns: int, taps: int) -> int:
    """Return the width of each tap if all have `columns` together. Raises `HeadConfigError` for the setting `name`."""
    if columns == 0 or columns % taps:
        raise HeadConfigError(name)
    return columns // taps


def _made_for(config: Mapping[str, Any]) -> str:
    """Return the repository that the head was trained for, or "" if the configuration does not name it."""
    spec = config.get("speculators_config")
    verifier = spec.get("verifier") if isinstance(spec, Mapping) else None
    candidates = [verifier.get("name_or_path") if isinstance(verifier, Mapping) else None]
    candidates += [config.get("target_model"), config.get("base_model"), config.get("target_model_name_or_path")]
    named = next((value for value in candidates if isinstance(value, str) and value.count("/") == 1), "")
    return named[:200]
