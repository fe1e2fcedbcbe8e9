"""A seeded corpus of messages in four languages, with the word frequencies of real text."""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from app.conversations.database.records import NewMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.conversations.store import ConversationStore

_SYLLABLES = {
    "en": [
        "the",
        "ing",
        "spec",
        "tion",
        "mod",
        "el",
        "er",
        "a",
        "th",
        "in",
        "re",
        "de",
        "con",
        "ver",
        "lo",
        "ca",
        "st",
    ],
    "ko": list("가나다라마바사아자하고는을이에서로의도한지기리시대모델초안추측토큰라운드깊채택률"),
    "ja": list("のをにはがでとしたてるいなかもうまれさらあ推測草案下書言語模型日本語処理最新結果"),
    "zh": list("的一是不了在人有我他这个上们来到时大地为子中你说生国年着就那和要她出也得里后自草稿模型推测轮"),
}
_SPACE = {"en": " ", "ko": " ", "ja": "", "zh": ""}


@cache
def vocabulary(language: str, size: int = 8000) -> tuple[list[str], list[float]]:
    """Return the words of a language, and the sums of their frequencies."""
    draw, longest = random.Random(language), 4 if language == "en" else 3
    words = {"".join(draw.choices(_SYLLABLES[language], k=draw.randint(1, longest))) for _ in range(size * 2)}
    drawn = draw.sample(sorted(words), min(size, len(words)))
    return drawn, list(accumulate(1.0 / (place + 3) for place in range(len(drawn))))


def texts(count: int, seed: int = 7, words_a_message: int = 60) -> Iterator[str]:
    """Yield `count` messages, a quarter in each language; the frequency of word n is proportional to 1/n."""
    draw = random.Random(seed)
    for number in range(count):
        language = list(_SYLLABLES)[number % 4]
        words, weights = vocabulary(language)
        drawn = draw.choices(words, cum_weights=weights, k=draw.randint(5, words_a_message * 2))
        yield _SPACE[language].join(drawn) + ("." if language in ("en", "ko") else "。")


def fill(store: ConversationStore, messages: int, a_chat: int = 50, seed: int = 7) -> None:
    """Fill the store with `messages` of the corpus, in chats of `a_chat`, in one transaction."""
    with store.database.write():
        conversation_id = 0
        for number, text in enumerate(texts(messages, seed)):
            if number % a_chat == 0:
                conversation_id = store.conversations.create(title=text[:40])
                parent = None
            role = "user" if number % 2 == 0 else "assistant"
            parent = store.messages.add(
                conversation_id, parent, NewMessage(role, text, created_at=1.7e9 + number * 60.0)
            )
