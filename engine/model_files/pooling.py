"""How an embedding model makes one vector of a text's hidden states, as its folder says for sentence-transformers."""

from __future__ import annotations

from pathlib import Path

from engine.errors import BadRequest
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, read_object

# The poolings that are known, by the fields of sentence-transformers' configuration, and by its newer names.
_FIELDS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
    "pooling_mode_cls_token": "first",
}
_MODES = {"mean": "mean", "lasttoken": "last", "cls": "first"}
_LIMITS = JsonLimits(size=2**16, depth=8, containers=64, commas=512)
_PLACE = Path("1_Pooling", "config.json")


def has_pooling(folder: Path) -> bool:
    """Whether a model's folder says how it is pooled, so that it was made for embeddings."""
    return (folder / _PLACE).is_file()


def pooling_of(folder: Path) -> str:
    """Return the pooling of a model's folder: "mean", "last" or "first" of the states of all tokens; "" if it has none.

    A model without one was not made for embeddings. Raises `BadRequest` for a pooling that is not known.
    """
    if not has_pooling(folder):
        return ""
    try:
        config = read_object(folder / _PLACE, _LIMITS)
    except UntrustedJsonError as error:
        raise _unknown(folder) from error
    chosen = [
        _FIELDS.get(key, "") for key, value in config.items() if key.startswith("pooling_mode_") and value is True
    ]
    if (mode := config.get("pooling_mode")) is not None:
        chosen.append(_MODES.get(mode, "") if isinstance(mode, str) else "")
    if len(chosen) != 1 or not chosen[0]:
        raise _unknown(folder)
    return chosen[0]


def _unknown(folder: Path) -> BadRequest:
    return BadRequest("model", "a model whose pooling is the mean, or the last or first token", folder.name)
