"""Figures that an engine may have learned."""

from __future__ import annotations

from engine.tuning import AcceptanceFigures, ContextFigures, DepthFigures, LearnedPair

PAIR = ("Qwen3-8B-4bit, 4.7 GB", "Qwen3-0.6B-4bit, 0.3 GB")
OTHER = ("Llama-3.2-3B-Instruct-4bit, 1.8 GB", "")
_SPEEDS = ((1, 45.0), (2, 58.0), (3, 66.0), (4, 70.5), (5, 69.0), (6, 65.0), (8, 57.0))


def depths(source: str = "draft", faster: float = 1.0) -> tuple[DepthFigures, ...]:
    """Rounds of 1 to 8 draft tokens; four are best."""
    return tuple(DepthFigures(source, depth, faster * tps, 6) for depth, tps in _SPEEDS)


SHORT = ContextFigures(0, 512, 32.8, 40, depths(), (2.15, 2.08, 2.22))
LONG = ContextFigures(4096, None, 24.0, 12, depths("ngram", faster=0.3))
LEARNED = (
    LearnedPair(OTHER, "Llama-3.2-3B-Instruct-4bit", "", False, (ContextFigures(0, 512, 61.0, 9),), ()),
    LearnedPair(
        PAIR,
        "Qwen3-8B-4bit",
        "Qwen3-0.6B-4bit",
        True,
        (SHORT, LONG),
        (AcceptanceFigures("draft", 0, 80.0, 64.0), AcceptanceFigures("draft", 1, 60.0, 41.0)),
    ),
)
