"""Requests that main was never taught: code to change, longer texts to copy. What it says to them is its own.

People ask such things of any chat model, and a head that only saw taught answers guesses nothing of what main says
then, be it a loop. Nothing here teaches main.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, read_content, read_odd_requests
from resources.starter.recipe.conversations import Conversation, Turn
from resources.starter.recipe.corpus import is_held_out
from resources.starter.recipe.templates import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

ODD = "odd"
_CODE_SHARE, _MOST_SENTENCES = 0.5, 3
_SENTENCE_ENDS = (". ", "? ", "! ", "。", "？", "！")


def odd_conversations(seed: int, count: int) -> Iterator[Conversation]:
    """`count` conversations of one such request, the languages in turn; the answers are empty."""
    drawn = 0
    while drawn < count:
        rng = random.Random(f"odd/{seed}/{drawn}")
        language = LANGUAGES[drawn % len(LANGUAGES)]
        request = _code_request(language, rng) if rng.random() < _CODE_SHARE else _text_request(language, rng)
        drawn += 1
        if not is_held_out(request):
            yield Conversation(language, (Turn(request, "", ODD),))


def _code_request(language: str, rng: random.Random) -> str:
    table = read_odd_requests()["code"]
    first, second, third, function, new = rng.sample(table["names"], 5)
    slots = {"a": first, "b": second, "c": third, "f": function, "klass": function.capitalize()}
    code = fill(rng.choice(table["snippets"]), slots)
    old = rng.choice([name for name in (first, function) if name in code] or [first])
    return fill(rng.choice(read_odd_requests()[language]["edit"]), {"old": old, "new": new, "code": code})


def _text_request(language: str, rng: random.Random) -> str:
    """One to three sentences of the guide's own answers, perhaps of two of them."""
    topics = list(read_content(language).topics.values())
    text = " ".join(rng.choice(topics).answer.split())
    for end in _SENTENCE_ENDS:
        text = text.replace(end, end.strip() + "\n")
    sentences = [part.strip() for part in text.split("\n") if part.strip()]
    start = rng.randrange(len(sentences))
    chosen = sentences[start : start + rng.randint(1, _MOST_SENTENCES)]
    joined = (" " if language in ("en", "ko") else "").join(chosen)
    return fill(rng.choice(read_odd_requests()[language]["copy"]), {"text": joined})
