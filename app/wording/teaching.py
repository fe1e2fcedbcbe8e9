"""Sentences on why a drafter cannot be taught, or why what it was taught is not used."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def teaching_sentence(arguments: Mapping[str, str]) -> str:
    """Say why a drafter cannot be taught, from the arguments of `CannotTeach`."""
    sentences = {
        "no-draft": translate("Teaching", "Choose a draft model or a head first: there is none to teach."),
        "other-tokenizer": translate(
            "Teaching",
            "This draft model has another tokenizer than the main model, so it cannot be taught. Choose one of the "
            "main model's family.",
        ),
        "other-engine": translate(
            "Teaching",
            "A draft cannot be taught while the main model runs on multiple Macs. Continue on this Mac alone.",
        ),
        "architecture": translate(
            "Teaching", "Tandem cannot teach draft models or heads of this kind yet. Choose another one."
        ),
        "too-little": translate(
            "Teaching",
            "Chat some more first: your chats have {detail} of the answers by this model that are needed.",
        ),
        "no-memory": translate(
            "Teaching", "Teaching takes {detail} GB more memory than is free. Close other apps or use smaller models."
        ),
        "no-folder": translate("Teaching", "A draft can only be taught if Tandem can save it to disk."),
        "disk": translate(
            "Teaching",
            "What the draft learns cannot be saved: {detail}. Free up space and try again. Until then the "
            "draft stays as it is.",
        ),
    }
    return sentences[arguments["reason"]].format(detail=arguments["detail"])


def problem_sentence(problem: str) -> str:
    """Say why what a drafter was taught is not used; "" if it can be."""
    sentences = {
        "main-changed": translate(
            "Teaching",
            "The main model has changed since its draft was taught, so the draft is used as it was downloaded. "
            "Teach it again.",
        ),
        "draft-changed": translate(
            "Teaching",
            "The draft model or head has changed since it was taught, so it is used as it was downloaded. Teach it "
            "again.",
        ),
        "damaged": translate(
            "Teaching",
            "The files of the taught draft are damaged, so it is used as it was downloaded. Teach it again.",
        ),
    }
    return sentences.get(problem, "")
