"""Words for sizes, the Hub's errors and the outcome of moving a folder of models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale

from app.settings.relocation import MoveRefused
from app.wording.sentences import Sentences, translate


def size_words(count: int) -> str:
    """Format a number of bytes: 4.6 GB, or 720 MB."""
    # What rounds to a thousand of a unit is one of the next.
    digit = _last_digit(count)
    rounded = (count + digit // 2) // digit * digit
    decimals = 1 if rounded >= 10**9 else 0
    # A Hub may claim more than Qt counts.
    words = QLocale().formattedDataSize(min(rounded, 2**63 - 1), decimals, QLocale.DataSizeFormat.DataSizeSIFormat)
    # The number and its unit stay on one line.
    return words.replace(" ", "\u00a0")


def _last_digit(count: int) -> int:
    """Return how many bytes the last digit counts with which a size is shown."""
    unit: int = 1000 ** ((len(str(count)) - 1) // 3)
    return unit // 10 if count >= 10**9 else unit


def space_words(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Format the bytes `needed`, rounded up, and `free`, rounded down, so that too little never reads as enough."""
    words = {}
    for name in ("needed", "free"):
        if isinstance(count := arguments.get(name), int):
            digit = _last_digit(count)
            words[name] = size_words((count if name == "free" else count + digit - 1) // digit * digit)
    return words


HUB_REASONS = Sentences(
    "HubErrors",
    {
        "offline": "Can't reach Hugging Face. Check your connection and try again.",
        "kept-offline": "“Work offline” is on, so Tandem does not connect. Turn it off in the settings.",
        "proxy": "The proxy does not respond or refuses to connect. Check its address in the settings.",
        "certificate": (
            "The certificate of Hugging Face isn't trusted on this Mac. Check the mirror and the proxy in the settings."
        ),
        "wrong-mirror": (
            "{endpoint} does not respond like Hugging Face. Check your connection, or the mirror in the settings."
        ),
        "server-error": "Hugging Face is having problems (error {status}). Try again later.",
        "too-slow": "Hugging Face takes too long to answer. Try again later.",
        "slow-file": "{file} arrives too slowly. Try again later or from another connection; nothing is lost.",
        "rate-limited": "Hugging Face is rate-limiting requests. Try again later.",
        "bad-name": "“{repository}” isn't a model ID. Use organization/name or a model page URL.",
        "missing": "There is no model {repository}, or it is private. Check its name, or add a token in the settings.",
        "revision-missing": "{repository} has no version {revision}.",
        "file-missing": "Hugging Face no longer has {file} of {repository}. Choose another model.",
        "gated": "{repository} is gated. Accept the terms on its page, then add a token in the settings.",
        "forbidden": "Your token has no access to {repository}. Ask its owners, or add another token in the settings.",
        "token-refused": (
            "Hugging Face rejected your token: it is wrong, expired or revoked. Add a new one in the settings."
        ),
        "not-mlx": "{repository} has neither MLX weights nor GGUF files. Search for an MLX version of this model.",
        "no-quantisation": "“{tag}” does not name one quantization of {repository}. Choose from: {tags}.",
        "unsafe-name": "{repository} refers to a file outside its folder ({file}). Tandem won't download it.",
        "no-space": "{needed} needed, but only {free} free on the disk. Free up space, then try again.",
        "disk-full": "The disk is full. Free up space, then try again; nothing is lost.",
        "not-writable": "{path} cannot be written to. Check its permissions.",
        "checksum": "{file} failed its checksum twice. Try again later or from another connection.",
        "no-head": "{repository} has no MTP head. Choose another draft.",
        "head-not-shipped": "{repository} lists an MTP head, but none of its files contains one. Choose another draft.",
        "head-unknown": "The MTP head of {repository} is of a kind that Tandem can't run yet ({family}).",
        "not-installed": "{repository} is no longer on this Mac.",
        "in-use": "Another program is downloading {repository}. Wait until it has finished.",
        "built-in": "The starter pair is part of Tandem and can't be deleted.",
        "other-app": "This model belongs to {app}. Delete it there.",
        "in-main": "This head is part of its main model's files. To delete it, delete the main model.",
        "own-folder": "This model is in your own folder {path}, which Tandem never deletes.",
        "no-trash": "Can't move {path} to the Trash. Nothing was deleted.",
    },
)
"""One sentence for each reason of the engine's HubError."""


def moved_sentence(new: Path) -> str:
    """Return words that say where a folder was moved."""
    text = translate("Relocation", "Moved to {folder}. All files were verified; the old location links to the new one.")
    return text.format(folder=new)


def refused_sentence(refused: MoveRefused) -> str:
    """Return words that say why nothing was moved, and what to do."""
    return REFUSALS[refused.reason].format(**refused.arguments | space_words(refused.arguments))


REFUSALS = Sentences(
    "Relocation",
    {
        "not-empty": "Not moved: that folder is not empty.",
        "inside": "Not moved: a folder cannot be moved into itself.",
        "no-space": "Not moved: {needed} needed, but only {free} free on that disk.",
        "differs": "Not moved: {file} failed verification. Check that disk.",
        "io": "Not moved: {detail}.",
        "stopped": "Stopped. Nothing was moved.",
        "in-use": "Not moved: another copy of Tandem is running. Tandem will try again at the next launch.",
        "nothing": "There is nothing to move yet.",
    },
)
"""One sentence for each `MoveRefused` reason."""
