"""An answer's figures as text, in the language and number format of the window; "–" where there is none yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, QObject

from app.wording import errors as wording
from engine.stats import PlainSpan

if TYPE_CHECKING:
    from app.session.answer import Answer
    from engine.stats import RequestStats, RoundRecord

NONE = "–"


def number(value: float | None, decimals: int = 1) -> str:
    return NONE if value is None else QLocale().toString(float(value), "f", decimals)


def percent(share: float | None) -> str:
    """A share between 0 and 1 as whole percent."""
    if share is None:
        return NONE
    return QCoreApplication.translate("Figures", "{value}%").format(value=number(100 * share, 0))


def seconds(value: float | None) -> str:
    """A duration: two decimals below ten seconds, none above."""
    if value is None:
        return NONE
    return QCoreApplication.translate("Figures", "{value} s").format(value=number(value, 2 if value < 10 else 0))


def times(factor: float | None, decimals: int = 1) -> str:
    if factor is None:
        return NONE
    return QCoreApplication.translate("Figures", "{value}×").format(value=number(factor, decimals))


def foot(answer: Answer) -> list[tuple[str, str]]:
    """The line under an answer: (sentence with {value}, value), leaving out what is not known."""
    stats = answer.stats
    translate = QCoreApplication.translate
    found = [
        (translate("Figures", "{value} tokens/s"), stats.decode_tps, number(stats.decode_tps)),
        (translate("Figures", "{value} plain"), stats.speedup, times(stats.speedup)),
        (translate("Figures", "first token {value}"), stats.ttft_s, seconds(stats.ttft_s)),
        (translate("Figures", "accepted {value}"), stats.accept_rate, percent(stats.accept_rate)),
        (translate("Figures", "{value} per round"), stats.tokens_per_round, number(stats.tokens_per_round)),
    ]
    if not stats.drafted:
        found = found[:1] + found[2:3]
    dropped = stats.dropped_messages or None
    found.append((translate("Figures", "older messages left out: {value}"), dropped, number(dropped, 0)))
    return [(sentence, text) for sentence, value, text in found if value is not None]


def why(answer: Answer) -> str:
    """Why the answer was not speculated on, or ""."""
    span = answer.plain_reason()
    return wording.plain_sentence(span) if span else ""


def depth_in_use(answer: Answer) -> float | None:
    """Guesses a round: of the newest round while the answer is written, the mean of all that guessed once it has ended.

    None before the first round that could have guessed.
    """
    if not answer.ended:
        return answer.rounds[-1].drafted if len(answer.rounds) > 1 else None
    guessed = [record.drafted for record in answer.rounds if record.drafted]
    return sum(guessed) / len(guessed) if guessed else (0 if answer.rounds else None)


def depth_text(answer: Answer | None) -> str:
    """The caption under the depth: with who guesses, as far as one proposer does."""
    plain = QCoreApplication.translate("Figures", "guesses at a time")
    newest = answer.rounds[-1:] if answer and not answer.ended else answer.rounds if answer else []
    sources = {record.source for record in newest if record.drafted}
    if len(sources) != 1:
        return plain
    return _depth_of(sources.pop())


def depth_texts() -> tuple[str, ...]:
    """All that the caption under the depth can be."""
    return QCoreApplication.translate("Figures", "guesses at a time"), _depth_of("draft"), _depth_of("ngram")


def _depth_of(source: str) -> str:
    return QCoreApplication.translate("Figures", "guesses at a time, {source}").format(source=source_name(source))


def speed_text(stats: RequestStats) -> str:
    """The caption under tokens per second: with the speed-up where it is known."""
    if stats.speedup is None:
        return QCoreApplication.translate("Figures", "tokens/s")
    return QCoreApplication.translate("Figures", "tokens/s, {value} plain").format(value=times(stats.speedup))


def round_text(answer: Answer, record: RoundRecord) -> str:
    """One round in words: what was guessed, what was kept, and the text it brought."""
    translate = QCoreApplication.translate
    if record.drafted:
        sentence = translate("Figures", "Round {number}: {accepted} of {drafted} guesses accepted ({source})").format(
            number=record.number,
            accepted=record.accepted,
            drafted=record.drafted,
            source=source_name(record.source),
        )
    else:
        sentence = translate("Figures", "Round {number}: the main model alone").format(number=record.number)
    text = answer.text_of_round(record.number)
    return f"{sentence}\n{wording.quoted(text)}" if text.strip() else sentence


def source_name(source: str) -> str:
    """Who proposed a token, in a word."""
    translate = QCoreApplication.translate
    return {
        "main": translate("Figures", "main"),
        "draft": translate("Figures", "draft"),
        "ngram": translate("Figures", "lookup"),
    }.get(source, source)


def sentence(answer: Answer | None) -> tuple[str, bool]:
    """What is going on and why, and whether it pays; ("", False) before the first round.

    While the answer is written its newest round decides, so the sentence follows the controller as it changes its mind.
    """
    if answer is None:
        return "", False
    if answer.ended:
        # A stored answer has its figures before its rounds are read.
        return (Guessing().past(answer), _pays(answer)) if answer.stats.drafted else (why(answer), False)
    newest = answer.rounds[-1] if len(answer.rounds) > 1 else None
    if newest is None:
        return "", False
    if newest.reason and not newest.drafted:
        return wording.plain_sentence(PlainSpan(newest.committed, newest.reason, newest.arguments)), False
    return Guessing().now(answer, newest.drafted), _pays(answer)


def _pays(answer: Answer) -> bool:
    return answer.stats.speedup is None or answer.stats.speedup >= 1.0


class Guessing(QObject):
    """Sentences with a plural, which Qt's extractor finds only in a class's own `tr`."""

    def now(self, answer: Answer, depth: int) -> str:
        cost, tokens = round_cost(answer), number(answer.stats.tokens_per_round)
        if cost is None:
            text = self.tr("Guessing %n token(s) at a time: each round brings {tokens} tokens.", "", depth)
            return text.format(tokens=tokens)
        text = self.tr(
            "Guessing %n token(s) at a time: each round costs {cost} plain steps and brings {tokens} tokens.", "", depth
        )
        return text.format(cost=number(cost), tokens=tokens)

    def past(self, answer: Answer) -> str:
        """For an answer that is whole, over all of it."""
        stats, cost = answer.stats, round_cost(answer)
        drafted, tokens = number(stats.drafted, 0), number(stats.tokens_per_round)
        if cost is None:
            return self.tr("%n guess(es) accepted of {drafted}.", "", stats.accepted).format(drafted=drafted)
        text = self.tr(
            "%n guess(es) accepted of {drafted}. A round cost {cost} plain steps and brought {tokens} tokens.",
            "",
            stats.accepted,
        )
        return text.format(drafted=drafted, cost=number(cost), tokens=tokens)


def round_cost(answer: Answer) -> float | None:
    """What a round costs in plain decoding steps: tokens per round divided by the speed-up; None while
    unknown.
    """
    stats = answer.stats
    if not stats.speedup or not stats.tokens_per_round:
        return None
    return stats.tokens_per_round / stats.speedup
