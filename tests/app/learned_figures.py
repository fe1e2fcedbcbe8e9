"""What an engine may have learned."""

from __future__ import annotations

from engine.tuning import LearnedPair

PAIR = ("Qwen3-8B-4bit, 4.7 GB", "Qwen3-0.6B-4bit, 0.3 GB")
OTHER = ("Llama-3.2-3B-Instruct-4bit, 1.8 GB", "")
LEARNED = (LearnedPair(OTHER, loaded=False), LearnedPair(PAIR, loaded=True))
