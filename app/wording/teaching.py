"""Sentences on why a drafter cannot be taught, or why its teaching is not used."""

from __future__ import annotations

from app.wording.sentences import Sentences

TEACHING_REASONS = Sentences(
    "Teaching",
    {
        "no-draft": "Choose a draft model or a head first: there is none to teach.",
        "other-tokenizer": (
            "This draft model has another tokenizer than the main model, so it cannot be taught. Choose one of the "
            "main model's family."
        ),
        "other-engine": (
            "A draft cannot be taught while the main model runs on multiple Macs. Continue on this Mac alone."
        ),
        "architecture": "Tandem cannot teach draft models or heads of this kind yet. Choose another one.",
        "too-little": "Chat some more first: your chats have {detail} of the answers by this model that are needed.",
        "no-memory": "Teaching takes {detail} GB more memory than models can use. Use smaller models.",
        "no-folder": "A draft can only be taught if Tandem can save it to disk.",
        "disk": (
            "What the draft learns cannot be saved: {detail}. Free up space and try again. Until then the draft stays "
            "as it is."
        ),
        "changed": (
            "The files of the main model or the draft have changed since they were loaded. Load both again, then teach."
        ),
    },
)

TAUGHT_PROBLEMS = Sentences(
    "Teaching",
    {
        "changed": (
            "The main model, the draft model or the head has changed since the draft was taught, so the draft is used "
            "as it was downloaded. Teach it again."
        ),
        "damaged": "The files of the taught draft are damaged, so it is used as it was downloaded. Teach it again.",
    },
)
"""Why the teaching of a drafter is not used."""
