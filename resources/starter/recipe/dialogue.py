"""Draws the next turns of a conversation: a topic, its follow-up, a skill, something to remember, a reference back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.content import (
    LANGUAGES,
    read_content,
    read_facts,
    read_short,
    read_short_development,
    read_tools,
    read_wordings,
)
from resources.starter.recipe.conversations import Turn
from resources.starter.recipe.limits import declined
from resources.starter.recipe.noise import drop_words, splice
from resources.starter.recipe.skills import draw_skill
from resources.starter.recipe.skills.texts import first_sentence, nonsense
from resources.starter.recipe.templates import draw, fill
from resources.starter.recipe.tools import ACCEPTANCE_TODAY, LIST_MODELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources.starter.recipe.voice import Voice

TOPIC, FOLLOWUP, OFFTOPIC, MEMORY, PREVIOUS = "topic", "followup", "offtopic", "memory", "previous"
AT_LENGTH = "at_length"
# The first wording of the question with the long answer is the app's own; so often it stands as it is.
_AS_IN_THE_APP = 0.4
SHORT_OFFTOPIC, SHORT_DEVELOPMENT = 0.12, 0.3

# Topics that people open a chat with, and word in more ways than questions about the app.
SMALL_TALK = (
    "greeting",
    "goodbye",
    "thanks",
    "how-are-you",
    "who-are-you",
    "what-can-you-do",
    "are-you-human",
    "your-name",
    "joke",
    "compliment",
    "insult",
    "bored",
    "good-night",
    "language-spoken",
)


# Topics whose questions share words with those for a tool, but ask what something means or how to do it.
NEAR_TOOLS = ("what-is-accept-rate", "choose-model", "what-is-main-model", "download-model", "better-models")

# What answers a question for a tool where there is none.
_WITHOUT_TOOLS = {LIST_MODELS: "choose-model", ACCEPTANCE_TODAY: "what-is-accept-rate"}

# Short messages that mean the same anywhere in a chat.
COURTESIES = ("goodbye", "thanks", "compliment", "good-night", "who-are-you", "are-you-human")


def draw_turns(voice: Voice, before: Sequence[Turn]) -> list[Turn]:
    """Draw the next turns of a conversation after `before`."""
    mix = voice.course.mix
    draw = voice.rng.random()
    if draw < mix.topic:
        return draw_topic(voice)
    draw -= mix.topic
    if draw < mix.small_talk:
        return draw_topic(voice, SMALL_TALK)
    draw -= mix.small_talk
    if draw < mix.offtopic:
        return [_offtopic(voice)]
    draw -= mix.offtopic
    if draw < mix.memory:
        return _memory(voice, before)
    draw -= mix.memory
    if draw < mix.previous:
        return _look_back(voice, before)
    draw -= mix.previous
    if draw < mix.short:
        return [_short(voice, is_first=not before)]
    draw -= mix.short
    if draw < mix.declined:
        return [declined(voice)]
    draw -= mix.declined
    if draw < mix.at_length:
        return [_at_length(voice)]
    draw -= mix.at_length
    if draw < mix.fact:
        return draw_topic(voice, tuple(read_facts()))
    return draw_skill(voice)


def draw_system(voice: Voice) -> str | None:
    """A system message for some conversations; the guide answers the same with or without one."""
    if voice.rng.random() < 0.85:
        return None
    return str(voice.rng.choice(voice.phrases["system"]))


def draw_topic(voice: Voice, names: Sequence[str] = ()) -> list[Turn]:
    """A question about one of the topics with these names, or about any."""
    rng = voice.rng
    topics = read_content(voice.language).topics
    topic = topics[rng.choice(names or list(topics))]
    wordings = [*topic.questions, *read_wordings(voice.language).get(topic.name, ())]
    question = voice.word(wordings)
    if rng.random() < 0.15:
        question = splice(question, voice.word(wordings), voice.language, rng)
    if rng.random() < 0.3:
        question = drop_words(question, voice.language, rng, rng.choice([0.1, 0.2, 0.3]))
    turns = [Turn(question, topic.answer, TOPIC)]
    if topic.followups and rng.random() < voice.course.mix.followup:
        followup = rng.choice(topic.followups)
        turns.append(Turn(voice.word(followup.questions), followup.answer, FOLLOWUP))
    return turns


def draw_without_tools(voice: Voice) -> list[Turn]:
    """A question for a tool that is not there: the topic that comes nearest answers it."""
    tool = voice.rng.choice(list(_WITHOUT_TOOLS))
    answer = read_content(voice.language).topics[_WITHOUT_TOOLS[tool]].answer
    return [Turn(voice.word(read_tools(voice.language)[tool]["questions"]), answer, TOPIC)]


def _at_length(voice: Voice) -> Turn:
    topic = read_content(voice.language).at_length
    if voice.rng.random() < _AS_IN_THE_APP:
        return Turn(topic.questions[0], topic.answer, AT_LENGTH)
    return Turn(voice.word(topic.questions), topic.answer, AT_LENGTH)


def _short(voice: Voice, *, is_first: bool) -> Turn:
    """A word or two that stand for a question, in this language only: what the answer's language is learned from.

    Later in a chat they are courtesies, since "why" and "more" ask about what went before.
    """
    content = read_content(voice.language)
    topics = content.topics
    if is_first and voice.rng.random() < SHORT_DEVELOPMENT:
        message = voice.rng.choice(read_short_development(voice.language))
        is_offtopic = message.kind == "offtopic"
        topic = content.offtopic if is_offtopic else topics[message.kind]
        return Turn(_recased(message.text, voice), topic.answer, OFFTOPIC if is_offtopic else TOPIC)
    if is_first and voice.rng.random() < SHORT_OFFTOPIC:
        table = voice.phrases["offtopic"]
        word = voice.rng.choice([*table["people"], *table["things"], *table["places"], *table["works"]])
        return Turn(_recased(word, voice), content.offtopic.answer, OFFTOPIC)
    # Half of them are small talk, like the first words of a chat.
    is_small_talk = not is_first or voice.rng.random() < 0.5
    small_talk = SMALL_TALK if is_first else COURTESIES
    messages = read_short(voice.language)
    # Not every fact has such messages.
    names = [name for name in (small_talk if is_small_talk else topics) if name in topics and messages.get(name)]
    name = voice.rng.choice(names)
    text = draw(voice.rng.choice(messages[name]), voice.rng)
    return Turn(_recased(text, voice), topics[name].answer, TOPIC)


def _recased(text: str, voice: Voice) -> str:
    """`text` as it is written, in lower case, capitalised or shouted, with or without a final sign."""
    form = voice.rng.random()
    if form < 0.3:
        text = text.lower()
    elif form < 0.5:
        text = text[:1].upper() + text[1:]
    elif form < 0.55:
        text = text.upper()
    return text.rstrip("?!.") + voice.rng.choice(["", "", "", "", "?", "!", "."])


def _offtopic(voice: Voice) -> Turn:
    rng = voice.rng
    offtopic = read_content(voice.language).offtopic
    table = voice.phrases["offtopic"]
    slots = {
        "person": rng.choice(table["people"]),
        "thing": rng.choice(table["things"]),
        "place": rng.choice(table["places"]),
        "work": rng.choice(table["works"]),
    }
    if rng.random() < 0.08:
        slots = dict.fromkeys(slots, nonsense(voice))
    questions = table["questions"] if rng.random() < 0.5 else offtopic.questions
    return Turn(voice.word(questions, slots), offtopic.answer, OFFTOPIC)


def _value(voice: Voice, source: str) -> str:
    rng = voice.rng
    if source == "number":
        return str(rng.randint(1, 99))
    if source in voice.phrases:
        if source in ("names", "pets") and rng.random() < 0.5:
            return nonsense(voice).capitalize()
        return str(rng.choice(voice.phrases[source]))
    return rng.choice(voice.vocabulary(source))


def _memory(voice: Voice, before: Sequence[Turn]) -> list[Turn]:
    """Draw something that is told and asked for after other exercises, or asked for without being told."""
    rng = voice.rng
    told = {turn.kind.removeprefix("told/") for turn in before if turn.kind.startswith("told/")}
    facts = voice.phrases["facts"]
    name = rng.choice(["name", "name", "name", *facts])
    fact = facts[name]
    if name not in told and rng.random() < 0.2:
        return [Turn(voice.word(fact["ask"]), fact["unknown"], MEMORY)]
    slots = {"value": _value(voice, fact["values"])}
    turns = [Turn(voice.word(fact["tell"], slots), fill(fact["told"], slots), f"told/{name}")]
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        turns += draw_skill(voice) if rng.random() < 0.5 else draw_topic(voice)
    turns.append(Turn(voice.word(fact["ask"]), fill(fact["asked"], slots), MEMORY))
    return turns


def _look_back(voice: Voice, before: Sequence[Turn]) -> list[Turn]:
    rng = voice.rng
    previous = voice.phrases["previous"]
    if not before and rng.random() < 0.2:
        return [Turn(voice.word(previous["question"]["questions"]), previous["question"]["first"], PREVIOUS)]
    turns: list[Turn] = []
    kind = rng.choices(["question", "answer", "shorter", "language"], [4, 2, 3, 5])[0]
    if kind == "language":
        return _same_in_another_language(voice)
    if kind == "shorter" or not before or rng.random() < 0.5:
        turns += draw_topic(voice)[:1] if kind == "shorter" or rng.random() < 0.5 else draw_skill(voice)
    last = (turns or before)[-1]
    question = voice.word(previous[kind]["questions"])
    if kind == "question":
        answer = fill(previous[kind]["answer"], {"quoted": voice.quoted(last.user)})
    elif kind == "shorter":
        answer = first_sentence(last.answer)
    else:
        answer = last.answer
    return [*turns, Turn(question, answer, PREVIOUS)]


def _same_in_another_language(voice: Voice) -> list[Turn]:
    """Draw a topic's answer, then the same topic's answer in another language."""
    rng = voice.rng
    other = rng.choice([language for language in LANGUAGES if language != voice.language])
    own_topics, other_topics = read_content(voice.language).topics, read_content(other).topics
    shared = [name for name in own_topics if name in other_topics]
    if not shared:
        return draw_topic(voice)
    name = rng.choice(shared)
    wordings = [*own_topics[name].questions, *read_wordings(voice.language).get(name, ())]
    asked = Turn(voice.word(wordings), own_topics[name].answer, TOPIC)
    slots = {"language": rng.choice(voice.phrases["languages"][other])}
    question = voice.word(voice.phrases["previous"]["language"]["questions"], slots)
    return [asked, Turn(question, other_topics[name].answer, PREVIOUS)]
