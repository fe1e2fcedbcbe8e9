"""A question with text before, between and after two pictures."""

from __future__ import annotations

from pathlib import Path

from engine.main_model.loading import LoadedModel
from engine.pictures.eyes import RequestPictures
from engine.pictures.placed import PlacedPicture
from engine.pictures.reading import digest_of
from engine.tokenizers.prompts import PromptJob, make_prompt
from tests.tiny_vision import picture

# A wide picture, and a high one that is larger than what the models take.
FILES = (picture(1, 40, 30), picture(2, 50, 90))
# The logits that `tests.tools.picture_goldens` has recorded: of some rows before, in and after the pictures.
GOLDENS = Path(__file__).parent / "goldens.json"
GOLDEN_ROWS, GOLDEN_COLUMNS = (3, 12, 20, 26, 34, 45, 52, -1), 24


def prompted(model: LoadedModel) -> tuple[RequestPictures, list[int], tuple[PlacedPicture, ...]]:
    """Return the reader, the prompt, and the places of the pictures, which have been read."""
    reader = model.reader({digest_of(file): file for file in FILES})
    first, second = ({"type": "image", "digest": digest_of(file)} for file in FILES)
    texts = [{"type": "text", "text": text} for text in ("the fox ", " and 안녕 ", " jumps?")]
    question = [{"role": "user", "content": [texts[0], first, texts[1], second, texts[2]]}]
    made = make_prompt(model.tokenizer, PromptJob(question, 4096, pictures=reader.texts()))
    placed = reader.places(made.ids, made.pictures)
    assert [one.digest for one in placed] == [digest_of(file) for file in FILES]
    for one in placed:
        reader.read(one)
    return reader, made.ids, placed
