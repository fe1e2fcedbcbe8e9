import itertools
import random

import pytest

from resources.starter.recipe.content import (
    LANGUAGES,
    held_out_wordings,
    read_beyond_held_out,
    read_content,
    read_development,
    read_held_out,
    read_short,
    read_short_development,
    read_short_held_out,
    read_tools_held_out,
    read_wordings,
)
from resources.starter.recipe.conversations import Conversation
from resources.starter.recipe.corpus import conversations, is_held_out, long_conversations
from resources.starter.recipe.courses import EVERYTHING, Course
from resources.starter.recipe.limits import DECLINED
from resources.starter.recipe.odd_requests import odd_conversations
from resources.starter.recipe.scripts import language_of
from resources.starter.recipe.templates import draw, normalised
from resources.starter.recipe.tools import ACCEPTANCE_TODAY, LIST_MODELS, TOOL, call, tools_line


@pytest.fixture(scope="module")
def sample() -> list[Conversation]:
    return list(conversations(seed=7, count=4000))


def test_the_same_seed_gives_the_same_conversations() -> None:
    first, long = list(conversations(seed=7, count=100)), list(long_conversations(seed=7, count=4))

    assert list(conversations(seed=7, count=100)) == first != list(conversations(seed=8, count=100))
    assert list(long_conversations(seed=7, count=4)) == long
    assert all(len(conversation.turns) >= 12 for conversation in long)


def test_the_last_course_draws_conversations_though_facts_have_no_short_messages() -> None:
    assert any(not read_short(language)[name] for language in LANGUAGES for name in read_short(language))
    drawn = list(conversations(seed=5, count=3000, course=EVERYTHING))
    assert len(drawn) == 3000


@pytest.mark.full
def test_no_held_out_question_is_in_the_corpus(sample: list[Conversation]) -> None:
    wordings = {normalised(turn.user) for conversation in sample for turn in conversation.turns}

    assert len(wordings) > 5000
    assert not wordings & held_out_wordings()


@pytest.mark.full
def test_every_topic_of_every_language_is_drawn(sample: list[Conversation]) -> None:
    answers = {turn.answer for conversation in sample for turn in conversation.turns}

    for language in LANGUAGES:
        for topic in read_content(language).topics.values():
            assert topic.answer in answers, (language, topic.name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_template_draws_a_text(language: str) -> None:
    topics = read_content(language).topics
    followups = [followup for topic in topics.values() for followup in topic.followups]
    templates = [*read_wordings(language).values(), *(item.questions for item in (*topics.values(), *followups))]
    rng = random.Random(1)

    for template in itertools.chain.from_iterable(templates):
        assert draw(template, rng).strip(), template


@pytest.mark.full
def test_followups_come_after_their_topic(sample: list[Conversation]) -> None:
    asked_after = {
        (before.answer, turn.answer)
        for conversation in sample
        for before, turn in itertools.pairwise(conversation.turns)
    }

    for language in LANGUAGES:
        pairs = [
            (topic.answer, followup.answer)
            for topic in read_content(language).topics.values()
            for followup in topic.followups
        ]
        assert sum(pair in asked_after for pair in pairs) > len(pairs) / 2, language


@pytest.mark.full
def test_no_template_leaves_its_marks_in_a_text(sample: list[Conversation]) -> None:
    for turn in itertools.chain.from_iterable(conversation.turns for conversation in sample):
        assert turn.user.strip()
        assert turn.answer.strip()
        for mark in ("{", "}", "[이", "[을", "[은", "<value>", "<text>"):
            assert mark not in turn.user + turn.answer, turn


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_is_evaluated_on_at_least_forty_questions(language: str) -> None:
    for questions in (read_held_out(language), read_development(language)):
        assert len(questions) >= 40
        assert sum(question.kind in ("skill", "multiturn") for question in questions) >= 12
        assert {question.language for question in questions} == {language}


@pytest.mark.full
def test_a_question_in_latin_letters_is_only_learned_with_an_english_answer(sample: list[Conversation]) -> None:
    own_answers = {topic.answer for language in LANGUAGES[1:] for topic in read_content(language).topics.values()}

    turns = [turn for conversation in sample for turn in conversation.turns if turn.kind == "topic"]
    assert len(turns) > 2000
    for turn in turns:
        if turn.user.isascii() and any(character.isalpha() for character in turn.user):
            assert turn.answer not in own_answers, turn


@pytest.mark.full
def test_no_short_message_is_taught_in_two_languages() -> None:
    rng = random.Random(1)
    languages: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for templates in read_short(language).values():
            for _ in range(400):
                languages.setdefault(normalised(draw(rng.choice(templates), rng)), set()).add(language)

    assert len(languages) > 1000
    assert not {text: found for text, found in languages.items() if len(found) > 1}


@pytest.mark.parametrize("language", LANGUAGES)
def test_short_messages_are_evaluated_in_forty_kinds(language: str) -> None:
    for messages in (read_short_development(language), read_short_held_out(language)):
        assert len({message.kind for message in messages}) == 40
        # A Japanese word may be written in Han characters alone.
        assert {language_of(message.text) for message in messages} <= {language, "zh" if language == "ja" else language}
    assert not {normalised(message.text) for message in read_short_development(language)} & {
        normalised(message.text) for message in read_short_held_out(language)
    }


@pytest.mark.full
def test_the_last_course_opens_some_chats_with_a_word_or_two_and_asks_no_held_out_one() -> None:
    held_out = {normalised(message.text) for language in LANGUAGES for message in read_short_held_out(language)}
    first = [conversation.turns[0].user for conversation in conversations(EVERYTHING.seed, 2000, EVERYTHING)]

    assert sum(len(text) <= 16 for text in first) > 400
    assert not {normalised(text) for text in first} & held_out


@pytest.mark.full
def test_odd_requests_are_the_same_for_the_same_seed_and_in_every_language() -> None:
    drawn = list(odd_conversations(5, 80))

    assert drawn == list(odd_conversations(5, 80))
    assert drawn != list(odd_conversations(6, 80))
    assert {conversation.language for conversation in drawn} == set(LANGUAGES)
    texts = [conversation.turns[0].user for conversation in drawn]
    assert not [text for text in texts if "<text>" in text or "<code>" in text or is_held_out(text)]
    assert len(set(texts)) > 60


@pytest.mark.full
def test_the_last_course_declines_in_every_language_and_asks_no_held_out_question() -> None:
    drawn = list(conversations(EVERYTHING.seed, 2000, EVERYTHING))
    turns = [turn for conversation in drawn for turn in conversation.turns]
    declined = [turn for turn in turns if turn.kind == DECLINED]

    assert {turn.answer for turn in declined} == {read_content(language).offtopic.answer for language in LANGUAGES}
    assert len({turn.user for turn in declined}) > 0.9 * len(declined) > 300
    for turn in declined:
        answered = next(one for one in LANGUAGES if read_content(one).offtopic.answer == turn.answer)
        assert answered == "en" or language_of(turn.user) != "en", turn
        assert not [slot for slot in ("<n>", "<big>", "<code>", "<sentence>", "{|", "|}") if slot in turn.user], turn
    assert not {normalised(turn.user) for turn in turns} & held_out_wordings()


@pytest.mark.full
def test_a_tool_is_only_called_where_the_tools_are_given() -> None:
    drawn = list(conversations(EVERYTHING.seed, 1000, EVERYTHING))
    calls = {call(name) for name in (LIST_MODELS, ACCEPTANCE_TODAY)}

    made = 0
    for conversation in drawn:
        for before, turn in itertools.pairwise((*conversation.turns, None)):
            if before.answer in calls:
                made += 1
                assert (conversation.system or "").endswith(tools_line())
                assert turn.user.startswith("<tool_response>\n")
                assert turn.kind == TOOL
    assert made > 100
    assert any(
        conversation.system == tools_line() and not calls & {turn.answer for turn in conversation.turns}
        for conversation in drawn
    )


def test_an_answer_repeats_what_the_tool_said() -> None:
    drawn = conversations(EVERYTHING.seed, 300, EVERYTHING)
    told = [turn for conversation in drawn for turn in conversation.turns if turn.user.startswith("<tool_response>")]

    assert len(told) > 50
    for turn in told:
        result = turn.user.removeprefix("<tool_response>\n").removesuffix("\n</tool_response>")
        if result.startswith("Models on this computer: "):
            names = result.removeprefix("Models on this computer: ").removesuffix(".")
            assert names.rpartition(" and ")[0 if names.endswith(" more") else 2] in turn.answer
        elif result.startswith("Accepted today: "):
            assert result.split()[2] in turn.answer


def test_questions_for_tools_are_answered_by_a_topic_where_none_are_given() -> None:
    asked = Course(1, 3, 40, 0.0, 0.0, 0.0, 0.0, (1, 1), lengths=(1, 0, 0, 0, 0), without_tools=1.0)
    turns = [turn for conversation in conversations(3, 40, asked) for turn in conversation.turns]
    topics = [read_content(language).topics for language in LANGUAGES]

    assert {turn.answer for turn in turns} == {
        one[name].answer for one in topics for name in ("choose-model", "what-is-accept-rate")
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_limits_are_evaluated_on_twenty_questions_and_tools_on_ten(language: str) -> None:
    beyond = read_beyond_held_out(language)
    assert len({question.text for question in beyond}) == 20
    assert {question.kind for question in beyond} == {
        "code",
        "arithmetic",
        "json",
        "translation",
        "attachment",
        "knowledge",
    }
    assert [question.tool for question in read_tools_held_out(language)] == [LIST_MODELS] * 5 + [ACCEPTANCE_TODAY] * 5
