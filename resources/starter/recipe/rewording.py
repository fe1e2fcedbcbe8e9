"""Which answers main does not say as the texts have them by now.

The texts are revised now and then, as the window's words are, and a main that is finished goes on saying the old ones.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, read_content
from resources.starter.recipe.conversations import Conversation, Turn
from resources.starter.recipe.dialogue import FOLLOWUP, TOPIC
from resources.starter.recipe.mistakes import mistaken, taken
from resources.starter.recipe.packing import LONG_ROW, encode_conversation, pack
from resources.starter.recipe.tokenizer import END_OF_TEXT
from resources.starter.recipe.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tokenizers import Tokenizer

    from resources.starter.recipe.model import LanguageModel
    from resources.starter.recipe.packing import Example

# So many wordings of a question are asked, since a known answer may be missed where the wording is disturbed.
_WORDINGS = 4


def unsaid_answers(main: LanguageModel, tokenizer: Tokenizer, seed: int) -> set[str]:
    """The answers to topics and their follow-ups that `main` would write word for word to no wording asked."""
    examples = (_last_answer(tokenizer, conversation) for conversation in _questions(seed))
    rows = pack(examples, LONG_ROW // 4, tokenizer.token_to_id(END_OF_TEXT))
    right = [
        set(owners.tolist()) - {0} - wrong for owners, wrong in zip(rows.owners, mistaken(main, rows), strict=True)
    ]
    said = {_answer(tokenizer, example) for example in taken(rows, right)}
    return _written_answers() - said


def is_of_before(example: Example, tokenizer: Tokenizer, unsaid: Collection[str]) -> bool:
    """Whether the answer in `example`, or its beginning, is in no text by now, or in those that are `unsaid`."""
    beginning = _answer(tokenizer, example).rstrip("\ufffd")
    declining = {read_content(language).offtopic.answer for language in LANGUAGES}
    return not any(answer.startswith(beginning) for answer in _written_answers().difference(unsaid) | declining)


def _written_answers() -> set[str]:
    topics = [topic for language in LANGUAGES for topic in read_content(language).topics.values()]
    return {one.answer for topic in topics for one in (topic, *topic.followups)}


def _answer(tokenizer: Tokenizer, example: Example) -> str:
    return tokenizer.decode([token for token, is_answer in zip(*example, strict=True) if is_answer])


def _last_answer(tokenizer: Tokenizer, conversation: Conversation) -> Example:
    """The conversation, whose last answer alone is marked as such."""
    asked, _ = encode_conversation(tokenizer, replace(conversation, opening=0))
    ids, _ = encode_conversation(tokenizer, conversation)
    return ids, [place >= len(asked) for place in range(len(ids))]


def giving(answers: Collection[str], conversations: Iterable[Conversation], times: int) -> Iterator[Conversation]:
    """The conversations that give one of these answers which was not yet given so many times."""
    given: Counter[str] = Counter()
    for conversation in conversations:
        here = {turn.answer for turn in conversation.turns}.intersection(answers)
        if any(given[answer] < times for answer in here):
            given.update(here)
            yield conversation


def without(answers: Collection[str], conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """The conversations that give none of these answers."""
    return (one for one in conversations if not any(turn.answer in answers for turn in one.turns))


def shortened(answers: Collection[str], conversations: Iterable[Conversation]) -> Iterator[Conversation]:
    """The conversations without the turns that give one of these answers."""
    for one in conversations:
        yield replace(one, turns=tuple(turn for turn in one.turns if turn.answer not in answers))


def _questions(seed: int) -> Iterator[Conversation]:
    """Every topic and every follow-up behind it, in some wordings."""
    for language in LANGUAGES:
        voice = Voice(language, random.Random(f"rewording/{seed}/{language}"))
        for topic in read_content(language).topics.values():
            for _ in range(_WORDINGS):
                asked = Turn(voice.word(topic.questions), topic.answer, TOPIC)
                yield Conversation(language, (asked,))
                for followup in topic.followups:
                    turn = Turn(voice.word(followup.questions), followup.answer, FOLLOWUP)
                    yield Conversation(language, (asked, turn))
