"""Reads the configuration of EAGLE-3 heads (arXiv:2503.01840; 3.1: arXiv:2605.09992) in either published format.

speculators nests the network's settings; the original format, which SpecForge, AngelSlim and NVIDIA use, is flat, with
layer ids and some flags under `eagle_config`. This module does not import mlx.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from engine.heads.config import HeadConfigError, NetworkConfig, RopeConfig, Settings, network_settings, tap_width
from engine.heads.tensors import HeadFiles, by_our_names, inputs_of
from engine.model_files.head_kinds import bare_name

# Each draft token of a chain is less likely than the previous one; the controller asks for fewer.
PROPOSALS = 8
_TAPS = 3
_MOST_LAYERS = 8
_IDS = "eagle_aux_hidden_state_layer_ids"

OutputNorm = Literal["output", "state", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EagleConfig(NetworkConfig):
    """An EAGLE-3 head.

    `taps` are empty if they depend on the main model's number of layers (`default_taps`). `tap_choices` lists the
    possible meanings of the layer ids, the likeliest first. With `norm_before_residual` the first layer adds to the
    normed state. The last norm is applied before the output matrix ("output"), after the layers, so that the chained
    state is normed too ("state", 3.1), or not at all ("none").
    """

    rope: RopeConfig
    tap_choices: tuple[tuple[int, ...], ...]
    tap_count: int
    norm_before_residual: bool
    output_norm: OutputNorm

    @property
    def least_layers(self) -> int:
        return self.main_layers or min((taps[-1] + 1 for taps in self.tap_choices), default=0)


def _our_name(name: str) -> str:
    """Return our name of a tensor; the original format calls the only layer `midlayer`."""
    bare = bare_name(name)
    return f"layers.0.{bare.removeprefix('midlayer.')}" if bare.startswith("midlayer.") else bare


def default_taps(main_layers: int) -> tuple[int, ...]:
    """Return the layers that a head reads if its configuration names none (SafeAILab/EAGLE, modeling_llama_kv.py)."""
    return tuple(layer - 1 for layer in (2, main_layers // 2, main_layers - 3))


def read_eagle_config(files: HeadFiles) -> tuple[EagleConfig, dict[str, str]]:
    """Return the head, and our names of its tensors by published names. Raises `HeadConfigError`, `HeadTensorError`."""
    config = files.config
    names = by_our_names(files.tensors, _our_name)
    spec, body = network_settings(config)
    settings = Settings(config, body, config.get("eagle_config"))
    if settings.get("hidden_act") not in (None, "silu"):
        raise HeadConfigError("hidden_act")
    fields = settings.head_fields(files)
    sizes = settings.attention_sizes()
    width = fields["width"]
    row = (sizes["kv_heads"], sizes["head_dim"])
    columns = inputs_of(files, names, "fc")
    taps = _taps(settings, columns, spec=spec)
    each_tap = tap_width(_IDS, columns, taps.length)
    own_output = "lm_head.weight" in names.values()
    drafted = settings.draft_vocabulary(fields["vocabulary"], own_output=own_output)
    if not own_output and width != each_tap:
        raise HeadConfigError("draft_vocab_size")
    types = settings.layer_types(body, _MOST_LAYERS, 1)
    window = settings.whole("sliding_window", 2, 2**24) if "sliding_attention" in types else None
    made = EagleConfig(
        **fields,
        **sizes,
        draft_vocabulary=drafted,
        rope=settings.rope(body, "full_attention"),
        windows=tuple(window if entry == "sliding_attention" else None for entry in types),
        taps=taps.choices[0] if taps.choices else (),
        tap_choices=taps.choices,
        tap_count=taps.length,
        tap_width=each_tap,
        main_layers=taps.main_layers,
        shapes=((row, row),) * len(types),
        proposals=PROPOSALS,
        norm_before_residual=bool(settings.flag("norm_before_residual")),
        output_norm=_output_norm(config, spec=spec),
        own_embedding=width != each_tap or bool(settings.flag("embed_requires_grad")),
        own_output=own_output,
    )
    return made, made.own_names(names)


def _output_norm(config: Mapping[str, Any], *, spec: bool) -> OutputNorm:
    """Return where the last norm is applied; `norm_output` has two meanings.

    In speculators and vLLM, also under `eagle_config`, the chained state is normed. In SpecForge, where the default is
    true, the output matrix gets normed states (specforge, llama3_eagle.py).
    """
    nested = config.get("eagle_config")
    chained = Settings(config if spec else nested).flag("norm_output")
    if chained:
        return "state"
    return "none" if not spec and Settings(config).flag("norm_output") is False else "output"


class _TapLayers(NamedTuple):
    """The layers of the main model whose outputs a head reads, as far as its configuration says them."""

    # The possible layers, counted from 0; the likeliest choice is first.
    choices: tuple[tuple[int, ...], ...]
    # How many layers each choice has.
    length: int
    # The number of the main model's layers; None if it is not known.
    main_layers: int | None


def _taps(settings: Settings, columns: int, *, spec: bool) -> _TapLayers:
    """Return the taps that a configuration names.

    speculators' id j is the input of layer j, which is the output of j - 1. In the original format ids are inputs or
    outputs: commonly outputs if the first is 1 (lmsys) and inputs if it is 2 (SGLang#25454).
    """
    total = settings.main_layers()
    ids = settings.get(_IDS)
    if ids is None:
        usual = (default_taps(total),) if total else ()
        return _TapLayers(usual, _TAPS, total)
    choices = settings.taps(_IDS, ids, columns, [1] if spec else [0, 1], spec=spec)
    outputs_first = choices[0][0] == 1
    ordered = choices if outputs_first else choices[::-1]
    return _TapLayers(tuple(ordered), len(choices[0]), total)
