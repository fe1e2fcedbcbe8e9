"""What the guide declines: code, sums and conversions it was not taught, JSON, translations, attached files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, read_beyond, read_content, read_odd_requests, read_phrases
from resources.starter.recipe.conversations import Turn
from resources.starter.recipe.skills.texts import first_sentence, nonsense, sentence, short_text, some_words
from resources.starter.recipe.templates import draw, fill
from resources.starter.recipe.voice import Voice

if TYPE_CHECKING:
    import random

DECLINED = "declined"
# Sums and sentences to translate are learned last.
_KINDS = {"code": 3, "json": 4, "sentence": 6, "word": 1, "attached": 6, "sum": 6, "skill_sum": 4, "unit": 4}
# Beyond these the skills teach no sums.
_LARGEST_TERM, _LARGEST_FACTOR = 99, 12


def declined(voice: Voice) -> Turn:
    """Draw a request of one of the kinds that need a larger model, and the answer that says so."""
    kind = voice.rng.choices(list(_KINDS), list(_KINDS.values()))[0]
    if kind == "skill_sum":
        question = _skill_sum(voice)
    elif kind == "word":
        question = _word_into_another_language(voice)
    elif kind == "unit":
        question = _unit(voice)
    elif kind == "attached":
        question = _attached(voice)
    else:
        # Names of programming languages and code stay as they are, and so do line breaks.
        question = _filled(voice, draw(voice.rng.choice(read_beyond(voice.language)[kind]), voice.rng))
    return Turn(question, read_content(voice.language).offtopic.answer, DECLINED)


def _skill_sum(voice: Voice) -> str:
    """A sum in the skills' own wordings, with numbers that are too large for them."""
    rng = voice.rng
    skill = rng.choice(["add", "subtract", "multiply", "multiply", "divide"])
    if skill == "multiply":
        a, b = rng.randint(_LARGEST_FACTOR + 2, 999), rng.randint(3, 99)
    else:
        a, b = rng.randint(_LARGEST_TERM + 101, 9999), rng.randint(3, 999)
    if skill in ("add", "multiply") and rng.random() < 0.5:
        a, b = b, a
    return voice.word(voice.phrases["skills"][skill]["questions"], {"a": a, "b": b})


def _word_into_another_language(voice: Voice) -> str:
    rng = voice.rng
    slots = {
        "q": voice.loosely_quoted(rng.choice(voice.vocabulary())),
        "language": rng.choice(read_beyond(voice.language)["languages"]),
    }
    return voice.word(voice.phrases["skills"]["translate"]["questions"], slots)


def _unit(voice: Voice) -> str:
    """A conversion in the skill's own wordings, with a unit that was never taught on at least one side."""
    rng, units = voice.rng, read_beyond(voice.language)["units"]
    taught = [name for names in voice.phrases["units"].values() for name in names]
    pair = [rng.choice(units), rng.choice(rng.choice([units, taught]))]
    rng.shuffle(pair)
    slots = {"n": rng.choice([rng.randint(1, 30), rng.randint(2, 500)]), "from": pair[0], "to": pair[1]}
    return voice.word(voice.phrases["skills"]["convert"]["questions"], slots)


def _attached(voice: Voice) -> str:
    """A file as the app gives it to a model, its text fenced under its name, and mostly a question about it."""
    table, rng = read_beyond(voice.language), voice.rng
    ending, text = rng.choice(
        [("txt", _paragraph(voice)), ("md", _paragraph(voice)), ("csv", _table(voice)), ("py", _code(rng))]
    )
    file = f"{rng.choice(table['names'])}.{ending}\n```\n{text}\n```"
    if rng.random() < 0.07:
        return file
    return f"{file}\n\n{_filled(voice, draw(rng.choice(table['attached']), rng))}"


def _sentence(voice: Voice) -> str:
    draw_ = voice.rng.random()
    if draw_ < 0.5:
        return str(voice.rng.choice(read_beyond(voice.language)["sentences"]))
    if draw_ < 0.65:
        return first_sentence(voice.rng.choice(list(read_content(voice.language).topics.values())).answer)
    return sentence(voice)[0 if draw_ < 0.85 else 1]


def _paragraph(voice: Voice) -> str:
    texts = [
        _sentence(voice) if voice.rng.random() < 0.7 else short_text(voice) for _ in range(voice.rng.randint(1, 3))
    ]
    if voice.rng.random() < 0.5:
        texts[voice.rng.randrange(len(texts))] = _fact(voice)
    return voice.rng.choice([" ", "\n"]).join(texts)


def _fact(voice: Voice) -> str:
    """A statement that a question about the file may ask for."""
    rng = voice.rng
    slots = {
        "word": rng.choice([rng.choice(voice.vocabulary()), nonsense(voice)]),
        "name": rng.choice(voice.phrases["names"]),
        "n": rng.randint(1, 30),
        "big": rng.randint(101, 9999),
    }
    return fill(draw(rng.choice(read_beyond(voice.language)["facts"]), rng), slots)


def _table(voice: Voice) -> str:
    words = some_words(voice, 2, 5)
    return "\n".join(f"{word},{voice.rng.randint(1, 2000)}" for word in words)


def _code(rng: random.Random) -> str:
    code = read_odd_requests()["code"]
    first, second, third, function = rng.sample(code["names"], 4)
    slots = {"a": first, "b": second, "c": third, "f": function, "klass": function.capitalize()}
    return fill(rng.choice(code["snippets"]), slots).strip()


def _object(rng: random.Random) -> str:
    names = rng.sample(read_odd_requests()["code"]["names"], rng.randint(1, 4))
    pairs = [f'"{name}": {rng.choice(read_beyond("data")["values"])}' for name in names]
    return rng.choice(["{%s}", "{ %s }", "[{%s}]", "{\n  %s\n}"]) % rng.choice([", ", ",\n  "]).join(pairs)


def _filled(voice: Voice, template: str) -> str:
    """`template` with whatever slots it has; numbers are drawn one by one."""
    rng, table = voice.rng, read_beyond(voice.language)
    code = read_odd_requests()["code"]
    a, b = rng.sample(code["names"], 2)
    other = Voice(rng.choice([language for language in LANGUAGES if language != voice.language]), rng, voice.course)
    languages = table["languages"]
    if rng.random() < 0.7:
        languages = [
            name
            for key, names in read_phrases(voice.language)["languages"].items()
            if key != voice.language
            for name in names
        ]
    slots = {
        "a": a,
        "b": b,
        "code": "```\n" + _code(rng) + "\n```" if rng.random() < 0.5 else _code(rng),
        "object": _object(rng),
        "formats": rng.choice(read_beyond("data")["formats"]),
        "fields": voice.join(some_words(voice, 2, 3)),
        "record": voice.join([rng.choice(voice.phrases["names"]), *some_words(voice, 1, 2), rng.randint(1, 99)]),
        "programming": rng.choice(table["programming"]),
        "jobs": rng.choice(table["jobs"]),
        "language": rng.choice(languages),
        "sentence": _sentence(voice),
        "foreign": _sentence(other),
        "word": rng.choice(voice.vocabulary()),
        "percent": rng.randint(1, 99),
        "a_third": rng.choice(table["thirds"]),
    }
    for slot, smallest, largest in (("<n>", 2, 99), ("<two>", 13, 99), ("<big>", 101, 9999)):
        while slot in template:
            template = template.replace(slot, str(rng.randint(smallest, largest)), 1)
    return fill(template, slots)
