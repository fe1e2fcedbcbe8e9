"""Texts and lists to work on: sentences, words, names, and now and then letters that mean nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, read_content
from resources.starter.recipe.templates import draw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from resources.starter.recipe.voice import Voice

_SPACED = ("en", "ko")
_SOUNDS = {
    "ko": (
        "가나다라마바사아자차카타파하거너더러머버서어저고노도로모보소오조구누두루무부수우"
        "주기니디리미비시이지태해배세레네에예유윤은준민진현영선성경정원희혜희호훈찬빈솔별"
        "엘안단산한강"
    ),
    "ja": (
        "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリ"
        "ルレロワンガギグゲゴザジズゼゾダデドバビブベボパピプペポーッャュョフィ"
    ),
    "zh": (
        "安娜尼尔丹索菲亚克拉斯特林达瑞米莉露西贝卡罗伊文杰森马丽莎苏珊艾伦大卫托尼奥凯乔"
        "治约翰保彼得爱德华诺海伦美玲国强志明晓春秋冬夏梅兰竹菊云飞龙凤山川江河雪晴佳宁静"
        "怡思敏慧雅"
    ),
}


def sentence(voice: Voice) -> tuple[str, str]:
    """A long sentence and the short one it can be cut down to."""
    parts, rng = voice.phrases["sentences"], voice.rng
    subject, subject_long = rng.choice(parts["subjects"])
    action, action_long = rng.choice(parts["actions"])
    long = parts["long"].replace("<time>", rng.choice(parts["times"]))
    long = long.replace("<subject_long>", subject_long).replace("<action_long>", action_long)
    short = parts["short"].replace("<subject>", subject).replace("<action>", action)
    return long[:1].upper() + long[1:], short[:1].upper() + short[1:]


def nonsense(voice: Voice) -> str:
    """A word or name of this language's sounds that is in no dictionary."""
    rng = voice.rng
    if voice.language == "en":
        syllables = [rng.choice("bdfghjklmnprstvwz") + rng.choice("aeiou") for _ in range(rng.randint(2, 4))]
        return "".join(syllables) + rng.choice(["", "", "n", "r", "s", "k"])
    sounds = _SOUNDS[voice.language]
    return "".join(rng.choice(sounds) for _ in range(rng.randint(2, 4)))


def some_words(voice: Voice, fewest: int, most: int) -> list[str]:
    """Common words, now and then with a name or a made-up one among them."""
    rng = voice.rng
    kinds = rng.choice([("animal", "fruit", "food"), ("thing", "place", "person"), ("nature", "time", "idea"), ()])
    known = [word for word in voice.vocabulary(*kinds) if " " not in word]
    words = rng.sample(known, min(len(known), rng.randint(fewest, most)))
    for index in range(len(words)):
        draw = rng.random()
        if draw < 0.08:
            words[index] = rng.choice(voice.phrases["names"])
        elif draw < 0.14:
            words[index] = nonsense(voice)
        elif draw < 0.17:
            words[index] = str(rng.randint(0, 999))
    return words


def some_items(voice: Voice, fewest: int, most: int) -> list[str]:
    """Items of a list; each may be two words in a language that writes spaces."""
    words = some_words(voice, fewest, most)
    qualities = voice.vocabulary("colour", "quality")
    if voice.language == "en" and voice.rng.random() < 0.3:
        return [f"{voice.rng.choice(qualities)} {word}" if voice.rng.random() < 0.5 else word for word in words]
    return words


def short_text(voice: Voice, longest: int = 12) -> str:
    """A sentence, a phrase, some words or a piece of the guide's own text, of at most `longest` words."""
    rng = voice.rng
    draw_ = rng.random()
    if draw_ < 0.3:
        text = sentence(voice)[rng.randint(0, 1)]
    elif draw_ < 0.65:
        text = (" " if voice.language in _SPACED else "").join(some_words(voice, 1, min(7, longest)))
    elif draw_ < 0.75:
        text = rng.choice(voice.vocabulary("phrase"))
    else:
        text = _guide_text(voice)
    if voice.language in _SPACED and len(text.split(" ")) > longest:
        text = " ".join(text.split(" ")[:longest])
    return text.strip()


def _guide_text(voice: Voice) -> str:
    rng = voice.rng
    content = read_content(voice.language if rng.random() < 0.9 else rng.choice(LANGUAGES))
    topic = rng.choice(list(content.topics.values()))
    if rng.random() < 0.5:
        return draw(rng.choice(topic.questions), rng)
    return first_sentence(topic.answer)


def first_sentence(text: str) -> str:
    """`text` up to the end of its first sentence."""
    text = text.split("\n", 1)[0]
    ends = [text.find(sign) + len(sign.rstrip()) for sign in (". ", "? ", "! ", "。", "？", "！") if sign in text]
    return text[: min(ends)] if ends else text


def bullets(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def numbered(items: Sequence[str]) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))
