"""What the figures and charts of the live panel mean, for tooltips."""

from __future__ import annotations

from app.wording.sentences import Sentences

NAMES = Sentences(
    "SpeculationPanel", {"strip": "Rounds", "positions": "Acceptance by position", "time": "Where time went"}
)
"""The title of each chart of the panel."""

EXPLANATIONS = Sentences(
    "SpeculationPanel",
    {
        "outcome": (
            "How fast these models are with drafts, compared with the main model alone, as measured on this Mac. "
            "Until that is known, how many draft tokens the main model accepted."
        ),
        "per_round": "How many tokens a round adds to the answer: the accepted ones and one of the main model's own.",
        "strip": (
            "A column for each round, from the bottom up: accepted draft tokens, the main model's own token, rejected "
            "draft tokens."
        ),
        "first": "The time until the first token appears, most of which goes into processing the prompt.",
        "saved": "How much longer the answer would have taken without speculation.",
        "cached": "How much of the prompt had been read before: earlier turns, or the files of the chat's folder.",
        "positions": "How often the first, the second and each further draft token of a round is accepted.",
        "time": "How the decoding time splits into drafting, verification by the main model and everything else.",
    },
)
"""What each figure and chart shows."""
