"""The names of GGUF files: sets of the parts of split files, their quantisations, and files that hold no model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_PART = re.compile(r"(.+)-(\d{5})-of-(\d{5})")
# How a file is quantised; the last one in its name counts.
_TAG = re.compile(r"(?<![A-Za-z0-9])(?:UD-)?(?:I?Q\d|TQ\d|BF16|FP?16|FP?32|MXFP4|NVFP4)\w*", re.IGNORECASE)
# Towers, which see or hear, and the statistics by which others quantise.
_NO_MODEL = re.compile(r"mmproj|imatrix|(?<![a-z])(?:ggml-vocab|lora)", re.IGNORECASE)
_DEEPEST = 2
# The quantisations that are proposed, the best first: those whose codes stay when a folder is made from the file.
_PROPOSED = ("Q4_K_M", "UD-Q4_K_XL", "Q4_K_S", "Q4_0", "MXFP4", "Q4_1", "Q5_K_M", "Q5_K_S", "Q8_0")


def name_of_set(file: str) -> str:
    """Return a file's path without its suffix and, for a part of a split one, without its number."""
    stem = file.removesuffix(".gguf")
    part = _PART.fullmatch(stem)
    return part[1] if part is not None else stem


def is_model_file(file: str) -> bool:
    """Whether a file of a repository may hold a model, and is found in its folder; not "mmproj" or "imatrix"."""
    *folders, name = file.split("/")
    is_hidden = any(part.startswith(".") for part in (*folders, name))
    return not (is_hidden or _NO_MODEL.search(name) or len(folders) > _DEEPEST) and file.isprintable()


def sets_of(files: Iterable[str]) -> dict[str, tuple[list[str], str]]:
    """Map the name of each set to its files in their order, and to the first missing part; "" for a whole set.

    Of two sets of one name, a whole one counts.
    """
    parts: dict[tuple[str, int], dict[int, str]] = {}
    for file in filter(is_model_file, files):
        split = _PART.fullmatch(file.removesuffix(".gguf"))
        count = int(split[3]) if split is not None else 1
        parts.setdefault((name_of_set(file), count), {})[int(split[2]) if split is not None else 1] = file
    found: dict[str, tuple[list[str], str]] = {}
    for (name, count), numbered in parts.items():
        lacking = next((number for number in range(1, count + 1) if number not in numbered), None)
        missing = "" if lacking is None else f"{name}-{lacking:05}-of-{count:05}.gguf"
        if name not in found or found[name][1]:
            found[name] = [file for _, file in sorted(numbered.items())], missing
    return found


def tag_of(name: str) -> str:
    """Return how a set is quantised, by its name or its folder's: Q4_K_M; its name if that does not say."""
    for part in reversed(name.split("/")):
        if tags := _TAG.findall(part):
            return str(tags[-1])
    return name


def named(names: Sequence[str], wanted: str) -> list[str]:
    """Return the sets that a tag or the name of a file means, whatever its case; Q4_K_XL also means UD-Q4_K_XL."""
    text = name_of_set(re.sub(r"\.gguf$", ".gguf", wanted.strip("/"), flags=re.IGNORECASE)).lower()
    for spell in (str, lambda name: name.rpartition("/")[2], tag_of, lambda name: tag_of(name)[3:]):
        if found := [name for name in names if spell(name).lower() == text]:
            return found
    return []


def proposed(sizes: Mapping[str, int]) -> str:
    """Return the set to propose among those with these bytes; the smallest with four bits or more, if none is known."""
    for tag in _PROPOSED:
        if found := named(list(sizes), tag):
            return found[0]
    wide = [name for name in sizes if (bits := re.search(r"\d+", tag_of(name))) and int(bits[0]) >= 4]
    return min(wide, key=lambda name: sizes[name]) if wide else max(sizes, key=lambda name: sizes[name])
