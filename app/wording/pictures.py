"""Words for pictures: why one cannot be used, and which models see."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale

from app.conversations.database.records import Folder
from app.conversations.projects import picture_files
from app.session.model_service import Pair
from app.wording.sentences import Sentences, translate
from app.wording.sources import recorded_name
from engine.errors import PicturesNotInstalled

PICTURE_REASONS = Sentences(
    "Pictures",
    {
        "unknown-format": (
            "Tandem can't read this picture: its format is not supported, or its beginning is damaged. "
            "Save it as PNG or JPEG."
        ),
        "damaged": "The picture is damaged ({detail}). Save or download it again.",
        "animated": "The picture is animated. Take a screenshot of what the model should see.",
        "too-large": "The picture's file is larger than {detail} MB. Save a smaller copy.",
        "too-many-pixels": "The picture has more than {detail} megapixels. Save a smaller copy.",
        "too-narrow": "The picture is too narrow: one side is over {detail} times the other. Cut out a part of it.",
        "too-slow": "Reading the picture was stopped after {detail} seconds. Save it again in another format.",
        "too-slow-together": (
            "Reading the pictures was stopped after {detail} seconds. Send fewer, or save them again in another format."
        ),
        "too-much-memory": "Reading the picture takes too much memory. Save a smaller copy.",
        "crashed": "The picture can't be read. Save it again in another format.",
    },
)
"""One sentence for each reason of the engine's PictureNotUsable."""


def no_vision_sentence(name: str, seeing: Sequence[str] = (), *, cluster: bool = False) -> str:
    """Return words that say that the main model `name` cannot see, and name models that can."""
    if cluster:
        words = translate("Pictures", "{name} can't see pictures on multiple Macs. Use it on one Mac, or remove them.")
    elif seeing:
        words = translate("Pictures", "{name} can't see pictures. Models that can: {models}.")
    else:
        words = translate("Pictures", "{name} can't see pictures. Choose a model that can, or remove the pictures.")
    return words.format(name=recorded_name(name), models=QLocale().createSeparatedList(list(seeing)))


def left_out_sentence(folder: Folder | None, pair: Pair) -> str:
    """Return that chats begin without a folder's pictures, if it has any and the main model cannot see; else ""."""
    if pair.main is None or pair.sees or not picture_files(folder):
        return ""
    words = translate("Pictures", "{name} can't see pictures, so chats begin without those of the folder.")
    return words.format(name=recorded_name(pair.names[0]))


def not_installed_sentence() -> str:
    words = translate("Pictures", "Pictures need more packages. Run: {command}")
    return words.format(command=PicturesNotInstalled.command)
