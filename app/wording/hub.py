"""Words for sizes, the Hub's errors and the outcome of moving a folder of models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale

from app.settings.relocation import MoveRefused
from engine.errors import EngineError

translate = QCoreApplication.translate


def hub_sentence(error: EngineError) -> str:
    """Return the sentence for a `HubError`."""
    arguments: dict[str, str] = {}
    for name, value in error.arguments.items():
        is_size = name in ("needed", "free") and isinstance(value, int)
        arguments[name] = size_words(int(str(value))) if is_size else str(value)
    return hub_reasons()[arguments["reason"]].format(**arguments)


def size_words(count: int) -> str:
    """Format a number of bytes: 4.6 GB."""
    decimals = 1 if count >= 10**9 else 0
    words = QLocale().formattedDataSize(count, decimals, QLocale.DataSizeFormat.DataSizeSIFormat)
    # The number and its unit stay on one line.
    return words.replace(" ", "\u00a0")


def hub_reasons() -> dict[str, str]:
    """Return one sentence for each `HubError` reason."""
    return {
        "offline": translate("HubErrors", "Can't reach Hugging Face. Check your connection and try again."),
        "no-network": translate("HubErrors", "Waiting for a connection. The download then resumes by itself."),
        "kept-offline": translate(
            "HubErrors", "“Work offline” is on, so Tandem does not connect. Turn it off in the settings."
        ),
        "proxy": translate(
            "HubErrors", "The proxy does not respond or refuses to connect. Check its address in the settings."
        ),
        "certificate": translate(
            "HubErrors",
            "The certificate of Hugging Face isn't trusted on this Mac. Check the mirror and the proxy in the "
            "settings.",
        ),
        "wrong-mirror": translate(
            "HubErrors", "{endpoint} does not respond like Hugging Face. Check the mirror in the settings."
        ),
        "server-error": translate("HubErrors", "Hugging Face is having problems (error {status}). Try again later."),
        "too-slow": translate("HubErrors", "Hugging Face takes too long to answer. Try again later."),
        "rate-limited": translate("HubErrors", "Hugging Face is rate-limiting requests. Try again later."),
        "bad-name": translate(
            "HubErrors", "“{repository}” isn't a model ID. Use organization/name or a model page URL."
        ),
        "missing": translate(
            "HubErrors",
            "There is no model {repository}, or it is private. Check its name, or add a token in the settings.",
        ),
        "revision-missing": translate("HubErrors", "{repository} has no version {revision}."),
        "file-missing": translate(
            "HubErrors", "Hugging Face no longer has {file} of {repository}. Choose another model."
        ),
        "gated": translate(
            "HubErrors", "{repository} is gated. Accept the terms on its page, then add a token in the settings."
        ),
        "forbidden": translate(
            "HubErrors",
            "Your token has no access to {repository}. Ask its owners, or add another token in the settings.",
        ),
        "token-refused": translate(
            "HubErrors",
            "Hugging Face rejected your token: it is wrong, expired or revoked. Add a new one in the settings.",
        ),
        "not-mlx": translate("HubErrors", "{repository} has no MLX weights. Search for an MLX version of this model."),
        "unsafe-name": translate(
            "HubErrors", "{repository} refers to a file outside its folder ({file}). Tandem won't download it."
        ),
        "no-space": translate(
            "HubErrors", "{needed} needed, but only {free} free on the disk. Free up space, then try again."
        ),
        "disk-full": translate("HubErrors", "The disk is full. Free up space, then try again; nothing is lost."),
        "not-writable": translate("HubErrors", "{path} cannot be written to. Check its permissions."),
        "checksum": translate(
            "HubErrors", "{file} failed its checksum twice. Try again later or from another connection."
        ),
        "no-head": translate("HubErrors", "{repository} has no MTP head. Choose another draft."),
        "head-not-shipped": translate(
            "HubErrors", "{repository} lists an MTP head, but none of its files contains one. Choose another draft."
        ),
        "head-unknown": translate(
            "HubErrors", "The MTP head of {repository} is of a kind that Tandem can't run yet ({family})."
        ),
        "not-installed": translate("HubErrors", "{repository} is no longer on this Mac."),
        "in-use": translate("HubErrors", "Another program is downloading {repository}. Wait until it has finished."),
        "built-in": translate("HubErrors", "The starter pair is part of Tandem and can't be deleted."),
        "other-app": translate("HubErrors", "This model belongs to {app}. Delete it there."),
        "in-main": translate(
            "HubErrors", "This head is part of its main model's files. To delete it, delete the main model."
        ),
    }


def moved_sentence(new: Path) -> str:
    text = translate("Relocation", "Moved to {folder}. All files were verified; the old location links to the new one.")
    return text.format(folder=new)


def refused_sentence(refused: MoveRefused) -> str:
    """Say why nothing was moved, and what to do."""
    arguments: dict[str, Any] = {
        name: size_words(value) if isinstance(value, int) else value for name, value in refused.arguments.items()
    }
    return refusals()[refused.reason].format(**arguments)


def refusals() -> dict[str, str]:
    """Return one sentence for each `MoveRefused` reason."""
    return {
        "not-empty": translate("Relocation", "Not moved: that folder is not empty."),
        "inside": translate("Relocation", "Not moved: a folder cannot be moved into itself."),
        "no-space": translate("Relocation", "Not moved: {needed} needed, but only {free} free on that disk."),
        "differs": translate("Relocation", "Not moved: {file} failed verification. Check that disk."),
        "io": translate("Relocation", "Not moved: {detail}."),
        "stopped": translate("Relocation", "Stopped. Nothing was moved."),
        "in-use": translate(
            "Relocation", "Not moved: another copy of Tandem is running. Tandem will try again at the next launch."
        ),
        "nothing": translate("Relocation", "There is nothing to move yet."),
    }
