"""The figures of an answer as text, in the language and number format of the window; "–" while unknown."""

from __future__ import annotations

import re

from PySide6.QtCore import QDate, QDateTime, QLocale, QObject

from app.conversations.measured import as_shown, gain_in, speed_as_shown
from app.conversations.request_history import Totals
from app.session.answer import Answer, State
from app.wording.ahead import ahead_sentence
from app.wording.errors import joined, plain_sentence, quoted
from app.wording.rounding import text_sentence
from app.wording.sentences import Sentences, translate
from app.wording.sources import source_name
from engine.stats import BUSY, PlainSpan, RequestStats, RoundRecord

NONE = "–"
# The year in a format of dates, and what stands between it and the rest.
_YEAR = re.compile(r"^y+\W*|\W*y+$")
# Below this many tokens a second, nobody waits for an answer.
LEAST_SPEED = 1.0
# The reasons of plain spans where the user has turned speculation off or chosen no draft.
CHOSEN = ("off", "no-draft")


def number(value: float | None, decimals: int = 1) -> str:
    """Format a number with this many decimals; "–" for None."""
    return NONE if value is None else QLocale().toString(float(value), "f", decimals)


def moment(seconds: float) -> str:
    """Format a time since the epoch as the language does, without the year where it is this one."""
    when = QDateTime.fromSecsSinceEpoch(int(seconds))
    locale = QLocale()
    short = QLocale.FormatType.ShortFormat
    if when.date().year() != QDate.currentDate().year():
        return locale.toString(when, short)
    day = locale.toString(when.date(), _YEAR.sub("", locale.dateFormat(short)))
    return f"{day} {locale.toString(when.time(), short)}"


def percent(share: float | None) -> str:
    """Format a share between 0 and 1 as whole percent."""
    if share is None:
        return NONE
    return translate("Figures", "{value}%").format(value=number(100 * share, 0))


def seconds(value: float | None) -> str:
    """Format a duration with two decimals below ten seconds, without decimals above."""
    if value is None:
        return NONE
    return translate("Figures", "{value} s").format(value=number(value, 2 if value < 10 else 0))


def whole_seconds(value: float) -> str:
    """Format the full seconds of a time that runs."""
    return translate("Figures", "{value} s").format(value=number(int(value), 0))


def duration(value: float | None) -> str:
    """Format a possibly long time in its largest unit: 1.4 s, 42 s, 12 min, 3.2 h."""
    if value is None:
        return NONE
    if abs(value) < 90:
        return translate("Figures", "{value} s").format(value=number(value, 1 if abs(value) < 10 else 0))
    if abs(value) < 5400:
        return translate("Figures", "{value} min").format(value=number(value / 60, 0))
    return translate("Figures", "{value} h").format(value=number(value / 3600))


def times(factor: float | None, decimals: int = 1) -> str:
    """Format a factor: "2.5×"; "–" for None."""
    if factor is None:
        return NONE
    return translate("Figures", "{value}×").format(value=number(factor, decimals))


def times_between(least: float, most: float) -> str:
    """Format a range of factors: "0.8× to 1.6×", or one if both look the same."""
    low = times(least)
    high = times(most)
    return low if low == high else translate("Figures", "{low} to {high}").format(low=low, high=high)


def about(speedup: float | None) -> str:
    """Format the measured speed-up of a pair, the same wherever it is shown: "1.9×", or "4×"; "–" for None."""
    if speedup is None:
        return NONE
    shown = as_shown(speedup)
    return times(shown, 0 if isinstance(shown, int) else 1)


def as_fast(speedup: float | None) -> str:
    """Return words that say how fast a pair is: "1.9× as fast"; "" if that is not known."""
    return "" if speedup is None else translate("Figures", "{times} as fast").format(times=about(speedup))


def gain(answer: Answer) -> str:
    """Return words that say how much faster the pair of an answer is with draft tokens, as measured on this computer.

    "" while that is not known or the answer is being written, for refusals and loops, whose speed says nothing of
    others, and for an answer whose own rounds cannot have been that much faster.
    """
    if not answer.ended or not answer.speed_counts:
        return ""
    return as_fast(gain_in(answer.figures, answer.pair_speedup))


def accepted_words(figures: RequestStats | Totals) -> str:
    """Return how many draft tokens of an answer, or of a pair, were accepted: "56 of 61 drafts accepted"."""
    return translate("Figures", "{accepted} of {drafted} drafts accepted").format(
        accepted=number(figures.accepted, 0), drafted=number(figures.drafted, 0)
    )


def round_sentence(stats: RequestStats) -> str:
    """Return how many tokens a round brought where it was one without drafts; "" if that is not known, or one."""
    a_round = tokens_a_round(stats)
    if a_round == NONE:
        return ""
    return translate("Figures", "{value} tokens a round instead of 1").format(value=a_round)


def tokens_a_round(stats: RequestStats) -> str:
    """Return how many tokens a round brought; "–" if one, which is what plain decoding brings."""
    shown = number(stats.tokens_per_round)
    return NONE if shown == number(1.0) else shown


def capitalized(text: str) -> str:
    """Return a text with a capital first letter, as at the beginning of a line."""
    return text[:1].upper() + text[1:]


def is_slowed(stats: RequestStats) -> bool:
    """Return whether load on the computer slowed the answer down so much that its speed is no figure to show."""
    return stats.decode_tps is not None and stats.decode_tps < LEAST_SPEED and (stats.load or 0.0) >= BUSY


def busy(stats: RequestStats) -> str:
    """Return words that say that load on the computer slowed the answer down; "" if it did not."""
    if stats.load is None or stats.load < BUSY:
        return ""
    text = translate("Figures", "This Mac is busy: even plain decoding takes {times} as long as usual.")
    return text.format(times=times(stats.load))


PACES = Sentences(
    "Figures",
    {
        "low-power": "Low Power Mode is on: this Mac runs slower, with speculation and without it.",
        "hot": "This Mac is hot and runs slower, with speculation and without it.",
        "memory": (
            "macOS is almost out of memory: this Mac runs slower, and Tandem reads the whole chat again before each "
            "answer. Close other apps."
        ),
    },
)
"""What slows this Mac down."""


def footer(answer: Answer) -> list[tuple[str, str]]:
    """Return the figures in the line below an answer, as far as they are known and say anything.

    Each is a translated sentence with "{value}" in it, and the formatted value that belongs there; one has its numbers
    in the sentence, and no value.
    """
    stats = answer.figures
    figures = [
        (translate("Figures", "{value} tokens/s"), stats.decode_tps, speed(stats.decode_tps)),
        (translate("Figures", "{value} to first token"), stats.ttft_s, seconds(stats.ttft_s)),
    ]
    shown = [(sentence, text) for sentence, value, text in figures if value is not None]
    if stats.drafted:
        shown.append((accepted_words(stats), ""))
    a_round = tokens_a_round(stats)
    if a_round != NONE:
        shown.append((translate("Figures", "{value} tokens a round"), a_round))
    return shown + left_out(stats)


def left_out(stats: RequestStats) -> list[tuple[str, str]]:
    """Return, like `footer`, the number of messages that the context could not hold; [] if it held all."""
    sentence = translate("Figures", "older messages left out: {value}")
    return [(sentence, number(stats.dropped_messages, 0))] if stats.dropped_messages else []


def why(answer: Answer, *, even_chosen: bool = False) -> str:
    """Return why the answer was decoded without speculation, so far; "" if any token was drafted, or nothing is known.

    Of several reasons, the reason of the longest plain span counts. Where the user has turned speculation off or chosen
    no draft, header and panel say so; this says it only with `even_chosen`.
    """
    span = answer.plain_reason()
    if span is None or (span.reason in CHOSEN and not even_chosen):
        return ""
    return plain_sentence(span)


def speed_sentence(stats: RequestStats) -> str:
    """Return words that say how fast the answer is; "" before the second token."""
    if stats.decode_tps is None:
        return ""
    if is_slowed(stats):
        return translate("Figures", "Slow: this Mac is busy")
    return translate("Figures", "{speed} tokens a second").format(speed=speed(stats.decode_tps))


def speed(tokens_per_s: float | None) -> str:
    """Format a speed in tokens a second, rounded as everywhere; "–" for None."""
    if tokens_per_s is None:
        return NONE
    rounded = speed_as_shown(tokens_per_s)
    return number(rounded, 0 if isinstance(rounded, int) else 1)


def round_text(answer: Answer, record: RoundRecord) -> str:
    """Describe one round: how many tokens were drafted and accepted, and its text."""
    if record.drafted:
        sentence = translate("Figures", "Round {number}: {accepted} of {drafted} drafts accepted ({source})")
    elif record.number:
        sentence = translate("Figures", "Round {number}: main model only")
    else:
        sentence = translate("Figures", "First token: main model only")
    source = source_name(record.source)
    place = number(record.number, 0)
    sentence = sentence.format(number=place, accepted=record.accepted, drafted=record.drafted, source=source)
    text = answer.text_of_round(record.number)
    return joined_lines(sentence, quoted(text) if text.strip() else "", rejected_text(record))


def rejected_text(record: RoundRecord) -> str:
    """Quote the rejected draft tokens of a round; "" if there are none."""
    text = translate("Figures", "Rejected: {text}")
    return text.format(text=quoted(record.rejected)) if record.rejected.strip() else ""


def joined_lines(*lines: str) -> str:
    """Join the lines that are not empty, one below the other."""
    return "\n".join(filter(None, lines))


def sentence(answer: Answer | None) -> str:
    """Return what speculation does in an answer and why; "" if the user wants none, or before the second round.

    The first round never has draft tokens, so it says nothing. While the answer is written, the newest round decides,
    so that the sentence follows the controller.
    """
    if answer is None or answer.state is State.CALLING:
        return ""
    if words := warning(answer):
        return words
    if answer.ended:
        return why(answer)
    if len(answer.rounds) < 2:
        return ""
    newest = answer.rounds[-1]
    if is_missing_match(answer, newest):
        newest = next(record for record in reversed(answer.rounds) if record.drafted)
    if newest.reason and not newest.drafted:
        span = PlainSpan(newest.committed, newest.reason, newest.arguments)
        return "" if newest.reason in CHOSEN else plain_sentence(span)
    return SpeculationSentences().now(newest.drafted)


def is_missing_match(answer: Answer, record: RoundRecord) -> bool:
    """Return whether a round found nothing to copy in an answer that has copied something elsewhere."""
    return record.reason == "no-match" and bool(answer.stats.accepted)


def warning(answer: Answer) -> str:
    """Return why drafts do not help an answer, or why its figures count for no other; "" if neither is so."""
    stats = answer.figures
    if not stats.draft_fits:
        return translate(
            "Figures",
            "This draft does not fit this model: fewer than 2% of its tokens are accepted. "
            "Choose another draft, or none.",
        )
    if answer.repeats and stats.drafted:
        return translate("Figures", "Repetitions are easy to draft, so this answer does not count in totals.")
    if answer.given_before and stats.drafted:
        return translate("Figures", "This text was given before, so this answer does not count in totals.")
    return ""


def remarks(answer: Answer) -> str:
    """Return how the text compares, what ended the thoughts, what drafting ahead did, and what slowed the answer down.

    "" if nothing is known.
    """
    stats = answer.figures
    text = text_sentence(stats) if answer.ended and answer.has_story else ""
    limit = SpeculationSentences().thoughts_ended(stats.thinking_limit)
    is_busy = stats.drafted and not is_slowed(stats)
    return joined(text, limit, ahead_sentence(stats), busy(stats) if is_busy else "", PACES.get(stats.slowed, ""))


class SpeculationSentences(QObject):
    """Sentences with plural forms, which Qt's extractor finds only in a class's own `tr`."""

    def thoughts_ended(self, limit: int | None) -> str:
        """Return words that say that a limit ended the thoughts; "" if none did."""
        return "" if limit is None else self.tr("The limit of %Ln token(s) ended its thoughts.", "", limit)

    def copied(self, count: int) -> str:
        """Return words that say how many tokens of an answer were copied from earlier texts."""
        return self.tr("%Ln token(s) copied from earlier", "", count)

    def from_drafts(self, count: int) -> str:
        """Return words that say how many tokens of an answer a drafter proposed."""
        return self.tr("%Ln token(s) came from drafts", "", count)

    def now(self, depth: int) -> str:
        """Return words that say how many tokens are drafted in a round now."""
        return self.tr("Drafting %Ln token(s) per round.", "", depth)
