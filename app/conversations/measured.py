"""What is measured of each pair of models on this computer: one figure, which every place shows. No Qt in here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert, to_builtins

from app.conversations.database.records import AnswerSource
from app.conversations.request_history import RequestRow, Totals
from engine.files.kept_json import KeptJson
from engine.stats import NOTICEABLE, RequestStats, rounded_speedup

# Keyed by the names of main and draft model in the request history; "" is the name where texts are looked up.
MeasuredPairs = Mapping[tuple[str, str], Totals]
# The comparisons of a pair that count, the latest: models, settings and the system change.
MOST_COMPARISONS = 9
# Nobody notices a smaller speed-up.
LEAST_GAIN = 1.1
# A speed-up from this one on is shown without a decimal.
WHOLE = 3.0
# Fewer rounds with accepted draft tokens are one look-up or two, and no picture of how an answer was written.
LEAST_ROUNDS = 3
# Where fewer tokens came from drafts, the answer was as good as written by the main model alone.
LEAST_SHARE = 0.1
# After so many accepted draft tokens, the next ones cannot take the share below LEAST_SHARE before the hundredth token.
LEAST_ACCEPTED = 10
_STAMP = {"version": 1}
_Ratio = Annotated[float, Meta(gt=0.0, le=1000.0)]


class _PairRecord(Struct):
    """The latest ratios of a pair in comparisons, and the speed-up of its stored answers, if that is known.

    `tried` says whether a comparison ended without a ratio.
    """

    compared: list[_Ratio] = []
    answered: _Ratio | None = None
    tried: bool = False


class PairSpeeds:
    """The speed-ups of pairs in a file, which the window and the terminal share; without `path` in memory only.

    Comparisons count: the same question with and without draft tokens, one right after the other. Without any, it is
    the speed-up that plain rounds within answers have shown.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file = KeptJson(path, _STAMP)

    def speedup_of(self, main: str, draft: str) -> float | None:
        """Return the speed-up of a pair, not rounded; None if it is not known."""
        record = self._record(_name(main, draft))
        return median(record.compared) if record.compared else record.answered

    @property
    def is_outdated(self) -> bool:
        """Whether another process has changed the file since it was read."""
        return self._path is not None and KeptJson(self._path, _STAMP).values != self._file.values

    def add_comparison(self, main: str, draft: str, ratio: float | None) -> None:
        """Add how many times as fast a pair was in a comparison, None if that measured nothing, as on a busy computer.

        Only the latest ones are kept.
        """
        self._read_again()
        name = _name(main, draft)
        record = self._record(name)
        if ratio is None:
            record.tried = True
        else:
            record.compared = [*record.compared, ratio][-MOST_COMPARISONS:]
        self._file.keep(name, to_builtins(record))

    def tried_in_vain(self) -> frozenset[tuple[str, str]]:
        """Return the pairs that were compared, but whose speed-up is not known all the same."""
        return frozenset(
            pair for pair in self._pairs() if self._record(_name(*pair)).tried and self.speedup_of(*pair) is None
        )

    def take_answers(self, summaries: Iterable[Totals]) -> dict[tuple[str, str], Totals]:
        """Store the speed-ups that the sums of all stored answers show, and return the `figures` of these sums."""
        self._read_again()
        sums = _by_pair(summaries)
        for main, draft in {*self._pairs(), *sums}:
            name = _name(main, draft)
            record = self._record(name)
            answered = _answered(sums[main, draft]) if (main, draft) in sums else None
            if answered != record.answered:
                record.answered = answered
                self._file.keep(name, to_builtins(record))
        return self.figures(sums)

    def figures(self, sums: MeasuredPairs) -> dict[tuple[str, str], Totals]:
        """Return the figures of each pair: the `sums` of its answers, with its speed-up, None if that is not known."""
        pairs: dict[tuple[str, str], Totals] = {}
        for main, draft in {**sums, **dict.fromkeys(self._pairs())}:
            totals = sums.get((main, draft), Totals(main_model=main, draft_model=draft))
            speedup = self.speedup_of(main, draft)
            if totals.drafted or speedup is not None:
                pairs[main, draft] = replace(totals, speedup=speedup, speedup_low=speedup, speedup_high=speedup)
        return pairs

    def _pairs(self) -> list[tuple[str, str]]:
        """Return the pairs in the file."""
        names = [name.partition("\n") for name in self._file.values]
        return [(main, draft) for main, _, draft in names]

    def _read_again(self) -> None:
        """Read the file again, which another process may have changed."""
        if self._path is not None:
            self._file = KeptJson(self._path, _STAMP)

    def _record(self, name: str) -> _PairRecord:
        try:
            return convert(self._file.values.get(name, {}), _PairRecord)
        except ValidationError:
            return _PairRecord()


def factors(drafts: Mapping[str, Totals]) -> dict[str, float]:
    """Return the known speed-ups of drafts with one main model, by their ids; that of prompt lookup has none."""
    return {draft: totals.factor for draft, totals in drafts.items() if draft and totals.speedup is not None}


def is_gain(speedup: float | None) -> bool:
    """Whether a speed-up is worth praise: at least LEAST_GAIN as it is shown."""
    return speedup is not None and as_shown(speedup) >= LEAST_GAIN


def as_shown(speedup: float) -> float | int:
    """Round a speed-up as every place shows it: to one decimal, and to a whole number from WHOLE on.

    From there on a decimal would claim more than a few comparisons can tell.
    """
    rounded = round(speedup, 1)
    return round(rounded) if rounded >= WHOLE else rounded


def speed_as_shown(tokens_per_s: float) -> float | int:
    """Round a speed in tokens a second as every place shows it: to one decimal, and to a whole number from 10 on."""
    rounded = round(tokens_per_s, 1)
    return round(rounded) if rounded >= 10 else rounded


def gain_in(stats: RequestStats | RequestRow, speedup: float | None) -> float | None:
    """Return the speed-up of a pair if an answer with these figures can have gained that much, else None.

    What its own rounds have measured, and the tokens that they brought, may rule it out, and too few accepted draft
    tokens, see `drafts_tell`.
    """
    if speedup is None or not is_gain(speedup) or not drafts_tell(stats):
        return None
    most = stats.tokens_per_round if stats.speedup_high is None else stats.speedup_high
    return None if most is not None and speedup > NOTICEABLE * most else speedup


def drafts_tell(stats: RequestStats | RequestRow) -> bool:
    """Return whether enough tokens of an answer came from drafts to say what these gained.

    They are enough in number, in the rounds that they came in (which early versions did not store), and in their share.
    """
    rounds = stats.accepted_rounds
    accepted = stats.accepted or 0
    is_enough = accepted >= LEAST_ACCEPTED and (rounds is None or rounds >= LEAST_ROUNDS)
    return is_enough and accepted >= LEAST_SHARE * (stats.generated_tokens or 0)


def _name(main: str, draft: str) -> str:
    return f"{main}\n{draft}"


def _by_pair(summaries: Iterable[Totals]) -> dict[tuple[str, str], Totals]:
    """Return the sums of each pair of which anything was drafted, with all methods together.

    Their speed-up is that of the method that generated the most tokens.
    """
    pairs: dict[tuple[str, str], Totals] = {}
    # A method with which no draft token was accepted speaks only where no other does.
    for totals in sorted(summaries, key=lambda summary: (bool(summary.accept_rate), summary.generated_tokens)):
        if totals.drafted:
            pair = AnswerSource(totals.main_model, totals.draft_model, totals.method).pair
            pairs[pair] = _with_counts_of(pairs.get(pair, Totals()), totals)
    return pairs


def _with_counts_of(others: Totals, totals: Totals) -> Totals:
    """Return `totals` with the answers and the tokens of other answers of the same pair, too."""
    drafted = totals.drafted + others.drafted
    accepted = totals.accepted + others.accepted
    return replace(
        totals,
        answers=totals.answers + others.answers,
        drafted=drafted,
        accepted=accepted,
        accept_rate=accepted / drafted,
        generated_tokens=totals.generated_tokens + others.generated_tokens,
    )


def _answered(totals: Totals) -> float | None:
    """Return the speed-up of the answers of a pair; None if not even its first decimal is known.

    It is 1.0 if no draft token was accepted: rounds then write one token each, as plain rounds do.
    """
    if totals.accept_rate == 0:
        return 1.0
    rounded = rounded_speedup(totals.speedup, totals.speedup_low, totals.speedup_high)
    return totals.speedup if rounded is not None and rounded.known == "exact" else None
