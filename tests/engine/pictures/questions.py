"""Questions with text before, between and after two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.main_model.loaded_model import LoadedModel
from engine.pictures.placed import PlacedPicture
from engine.pictures.reading import PictureFiles, digest_of, picture_size, read_picture
from engine.pictures.vision_tower import RequestPictures, VisionTower
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.tokenizers.prompts import PromptJob, make_prompt
from tests.engine.serving_requests import PLAIN
from tests.engine.tiers import by_tier
from tests.tiny_vision import picture

# A wide picture, and a high one that is larger than what the models take.
FILES = FOX, DOG = picture(1, 40, 30), picture(2, 50, 90)
QUESTIONS = {
    "before": (FOX, "the quick brown fox"),
    "between": ("the lazy dog ", FOX, " and the quick ", DOG, " jumps over"),
    "after": ("the quick brown fox ", DOG),
}
# The default tier asks one, with text on both sides of pictures.
QUESTIONS_AND_TEMPERATURES = by_tier(product(QUESTIONS, (0.0, 0.9)), [("between", 0.9)])
# The logits that `tests.tools.picture_goldens` has recorded: of some rows before, in and after the pictures.
GOLDENS = Path(__file__).parent / "goldens.json"
GOLDEN_ROWS, GOLDEN_COLUMNS = (3, 12, 20, 26, 34, 45, 52, -1), 24


def prompted(model: LoadedModel) -> tuple[RequestPictures, list[int], tuple[PlacedPicture, ...]]:
    """Return the reader, the prompt, and the places of the pictures, which have been read."""
    reader = model.reader(PictureFiles({digest_of(file): file for file in FILES}))
    first, second = ({"type": "image", "digest": digest_of(file)} for file in FILES)
    texts = [{"type": "text", "text": text} for text in ("the fox ", " and 안녕 ", " jumps?")]
    question = [{"role": "user", "content": [texts[0], first, texts[1], second, texts[2]]}]
    made = make_prompt(model.tokenizer, PromptJob(question, 4096, pictures=reader.texts()))
    placed = reader.places(made.ids, made.pictures)
    assert [one.digest for one in placed] == [digest_of(file) for file in FILES]
    for one in placed:
        reader.read(one)
    return reader, made.ids, placed


def embedded(vision: VisionTower, file: bytes) -> mx.array:
    """Return the embedding of a picture's file."""
    layout = vision.rules.layout(*picture_size(file))
    return vision.embed(layout, read_picture(file, layout.sizes, layout.resample).views)


def parts(*content: str | bytes) -> list[dict[str, str]]:
    return [
        {"type": "text", "text": part} if isinstance(part, str) else {"type": "image", "digest": digest_of(part)}
        for part in content
    ]


def answered(content: Sequence[str | bytes], text: str) -> list[dict[str, Any]]:
    """Return the turns of a question and its answer."""
    return [{"role": "user", "content": parts(*content)}, {"role": "assistant", "content": text}]


def asked(
    *content: str | bytes,
    temperature: float = 0.0,
    speculation: SpeculationSettings = PLAIN,
    before: Sequence[dict[str, Any]] = (),
    files: Sequence[bytes] = (),
    **options: Any,
) -> ChatRequest:
    """Return a question of texts and pictures, after the turns `before` with the pictures `files`."""
    shown = [*files, *(part for part in content if isinstance(part, bytes))]
    return ChatRequest(
        [*before, {"role": "user", "content": parts(*content)}],
        sampling=SamplingSettings(temperature=temperature, seed=7),
        speculation=speculation,
        pictures={digest_of(file): file for file in shown},
        **{"max_tokens": 10, **options},
    )
