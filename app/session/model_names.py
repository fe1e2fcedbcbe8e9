"""Names of models for people. No Qt in here, and no imports that delay a start."""

from __future__ import annotations

import re

from app.system.translatable import QT_TRANSLATE_NOOP
from engine.hub.repository_names import head_of
from engine.model_files.head_kinds import is_shipped_mtp

# The main model that comes with Tandem, as figures name it.
STARTER = "starter/main"
# The models that come with Tandem, by their names in figures.
STARTERS = {
    STARTER: QT_TRANSLATE_NOOP("Models", "Starter"),
    "starter/draft": QT_TRANSLATE_NOOP("Models", "Starter draft"),
    "starter/head": QT_TRANSLATE_NOOP("Models", "Starter head"),
}

# How GGUF files are quantised, at the end of their names.
_GGUF_KIND = re.compile(r"[-_.]((?:[IT]?Q\d|B?F16|F32|MXFP4)\w*)$")


def english_name(name: str) -> str:
    """Return the English name to show for the name of a model in figures."""
    return STARTERS.get(name) or short_name(name)[0]


def short_name(repository: str) -> tuple[str, int]:
    """Return the name to show and the bits of the weights: ("Qwen3 8B", 4) for mlx-community/Qwen3-8B-4bit.

    The bits are 0 if the name does not say them. An adapter follows its main model's name after a colon. A name without
    an organization and capital letters, such as gpt-5 in an imported chat, is shown as it is written.
    """
    source = head_of(repository)
    repository, _, adapter = repository.partition(":")
    if adapter:
        base, bits = short_name(repository)
        return f"{base}:{adapter}", bits
    main, _, inside = repository.removesuffix("/weights.safetensors").rpartition("/")
    if main and is_shipped_mtp(inside):
        # A head in its main model's folder, or part of its files.
        source = main
    if source:
        return f"{short_name(source)[0]} MTP", 0
    name = repository.rsplit("/", 1)[-1]
    bits = 0
    if (kind := _GGUF_KIND.search(name)) is not None:
        return f"{short_name(name[: kind.start()])[0]} {kind[1]}", 0
    if repository == name.lower() and not name.endswith("bit"):
        return name, 0
    words = [word for word in name.replace("_", "-").split("-") if word.lower() not in ("mlx", "")]
    if len(words) > 1 and words[-1].lower().endswith("bit") and words[-1][:-3].isdigit():
        bits = int(words.pop()[:-3])
    return " ".join(words) or name, bits
