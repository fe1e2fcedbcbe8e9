"""The names of GGUF files: sets of the parts of split files, their quantisations, and files that hold no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_PART = re.compile(r"(.+)-(\d{5})-of-(\d{5})")
# How a file is quantised; the last one in its name counts.
_TAG = re.compile(r"(?<![A-Za-z0-9])(?:UD-)?(?:I?Q\d|TQ\d|BF16|FP?16|FP?32|MXFP4|NVFP4)\w*", re.IGNORECASE)
# Towers, which see or hear, and the statistics by which others quantise.
_NO_MODEL = re.compile(r"mmproj|imatrix|(?<![a-z])(?:ggml-vocab|lora)", re.IGNORECASE)
_DEEPEST = 2
# The quantisations that are proposed, the best first: those whose codes stay when a folder is made from the file.
_PROPOSED = ("Q4_K_M", "UD-Q4_K_XL", "Q4_K_S", "Q4_0", "MXFP4", "Q4_1", "Q5_K_M", "Q5_K_S", "Q8_0")


class PartName(NamedTuple):
    """The name of a GGUF file, which may be one of several parts."""

    # The path without the suffix and, for a part, without its number: all parts of a model have it.
    set_name: str
    # From 1.
    number: int
    # How many parts the set has.
    parts: int


def part_of(file: str) -> PartName:
    """Return what a file's path says of it; a file that is no part is the only one of its set."""
    stem = file.removesuffix(".gguf")
    part = _PART.fullmatch(stem)
    return PartName(stem, 1, 1) if part is None else PartName(part[1], int(part[2]), int(part[3]))


def name_of_set(file: str) -> str:
    """Return a file's path without its suffix and, for a part of a split one, without its number."""
    return part_of(file).set_name


def is_model_file(file: str) -> bool:
    """Whether a file of a repository may hold a model, and is found in its folder; not "mmproj" or "imatrix"."""
    *folders, name = file.split("/")
    is_hidden = any(part.startswith(".") for part in (*folders, name))
    return not (is_hidden or _NO_MODEL.search(name) or len(folders) > _DEEPEST) and file.isprintable()


def tag_of(name: str) -> str:
    """Return how a set is quantised, by its name or its folder's: Q4_K_M; its name if that does not say."""
    for part in reversed(name.split("/")):
        if tags := _TAG.findall(part):
            return str(tags[-1])
    return name


# By how much of their size (root mean square) weights change at most in being converted, by the kinds whose names begin
# so. Measured against gguf-py's reading of normally distributed weights. Other kinds keep the codes of the file.
_CHANGES = {"Q6_K": 0.004, "IQ4": 0.016, "Q3_K": 0.032, "Q2_K": 0.04, "IQ3": 0.05, "IQ2": 0.062,
            "IQ1": 0.062}  # fmt: skip


def change_of(name: str) -> float:
    """Return by how much of their size a set's weights change at most in being converted; 0.0 if they keep its codes.

    The name says it: most tensors of a set have the kind that it names, the others a finer one.
    """
    tag = tag_of(name).upper().removeprefix("UD-")
    return next((change for kind, change in _CHANGES.items() if tag.startswith(kind)), 0.0)


def named(names: Sequence[str], wanted: str) -> list[str]:
    """Return the sets that a tag or the name of a file means, whatever its case; Q4_K_XL also means UD-Q4_K_XL."""
    text = name_of_set(re.sub(r"\.gguf$", ".gguf", wanted.strip("/"), flags=re.IGNORECASE)).lower()
    for spell in (
        str,
        lambda name: name.rpartition("/")[2],
        tag_of,
        lambda name: tag_of(name).lower().removeprefix("ud-"),
    ):
        if matching := [name for name in names if spell(name).lower() == text]:
            return matching
    return []


def proposed(names: Sequence[str]) -> str:
    """Return the set to propose among some, smaller ones first: the middle one if no tag is a usual one."""
    usual = (matching[0] for tag in _PROPOSED if (matching := named(names, tag)))
    return next(usual, names[len(names) // 2])
