"""The live panel: every figure is the engine's, and a long answer costs no more a frame than a short one."""

from __future__ import annotations

import html
import statistics
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.actions.actions import Actions
from app.conversations.database.records import ToolUse
from app.conversations.measured import LEAST_ROUNDS
from app.session.answer import Answer, State
from app.session.calls import CallState, ToolRun
from app.session.model_service import Pair
from app.speculation.explanations import EXPLANATIONS
from app.speculation.panel import ACCEPTED, SpeculationPanel
from app.system.language import LANGUAGES
from app.transcript.answer_texts import origin_text
from app.transcript.tints.token_legend import TokenLegend
from app.widgets import theme
from app.window.actions import ACTIONS
from app.wording import figures
from app.wording.errors import PLAIN_REASONS
from app.wording.figures import capitalized
from app.wording.sources import role_of
from app.wording.speculation import idle_sentence
from engine.events import Finished, TokensCommitted
from engine.stats import PlainSpan, RequestStats
from engine.tuning import KeyRange, LearnedPair, Rounding, WidthCost
from resources.starter.recipe.content import read_content
from tests.app.conftest import EACH_LANGUAGE
from tests.app.scripts import FULL, PATTERN, PLAIN, STORY, Script, ScriptedRound, play
from tests.app.window_parts import names_in
from tests.engine.tiers import by_tier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from engine.events import Event

WORDS = " ".join(f"word{number}" for number in range(12_000))


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[SpeculationPanel]:
    actions = Actions(ACTIONS, QCoreApplication.instance())
    panel = SpeculationPanel(actions)
    qtbot.addWidget(panel)
    panel.resize(panel.width(), 900)
    panel.show()
    yield panel
    actions.deleteLater()


def drafting(accepted: int = 20, **known: float) -> RequestStats:
    """The figures of an answer of 30 tokens with as many draft tokens, in as many rounds as charts need."""
    by_position = ((LEAST_ROUNDS, LEAST_ROUNDS), (LEAST_ROUNDS, 2))
    return RequestStats(
        generated_tokens=30, drafted=30, accepted=accepted, decode_tps=30.4, accept_by_position=by_position, **known
    )  # type: ignore[arg-type]


def rounds_of(count: int) -> list[Event]:
    events = []
    for event in play(Script(WORDS)):
        events.append(event)
        if len(events) == count + 2:
            break
    return events


def texts(panel: SpeculationPanel) -> dict[str, str]:
    return {
        "outcome": panel.outcome.text(),
        "speed": panel.speeds.text(),
        "first": panel.details.words.text(),
        "time": panel.details.time.words(),
    }


def heights(panel: SpeculationPanel) -> list[int]:
    """Where the parts below the sentence stand, and what the whole panel measures."""
    for _ in range(3):
        QCoreApplication.processEvents()
    shown = panel.details
    parts = (panel.buttons, panel.strip, shown.positions, shown.time)
    return [part.mapTo(panel, part.rect().topLeft()).y() for part in parts]


@pytest.mark.parametrize(
    "pattern",
    [
        PATTERN,
        pytest.param((ScriptedRound(6, 6, "ngram"), ScriptedRound(1, 0)), marks=pytest.mark.full),
    ],
)
def test_after_every_round_each_figure_is_the_engine_s_record_and_nothing_moves(
    panel: SpeculationPanel, pattern: tuple[ScriptedRound, ...]
) -> None:
    answer = Answer()
    panel.details.fold.setChecked(True)
    panel.show_answer(answer)
    before: list[int] = []
    for event in play(Script("one two three four five six seven eight nine ten " * 3, pattern)):
        answer.apply([event])
        panel.refresh()
        stats, records = answer.stats, answer.rounds
        if not answer.has_story:
            assert not panel.strip.isVisible()
            continue
        before = before or [heights(panel) for _ in range(3)][-1]
        assert heights(panel) == before
        shown = texts(panel)
        per_round = figures.number(stats.generated_tokens / stats.rounds)
        assert shown["outcome"] == f"{stats.accepted} of {stats.drafted} drafts accepted"
        assert shown["speed"] == f"{per_round} tokens a round instead of 1 · {figures.speed_sentence(stats)}"
        assert shown["first"].startswith(f"First token after {figures.seconds(stats.ttft_s)}")
        whole = stats.draft_s + stats.verify_s + stats.host_s
        if whole:
            assert figures.percent(stats.verify_s / whole) in shown["time"]
        assert panel.strip.visible_rounds() == records[-panel.strip.columns :]
        counts = [(accepted, reached) for reached, accepted in stats.accept_by_position if reached]
        for words, (accepted, reached) in zip(panel.details.positions.words(), counts, strict=False):
            assert f"({accepted} of {reached})" in words


EVERY_KIND = (
    ScriptedRound(3, 1, "head"),
    ScriptedRound(6, 6, "ngram"),
    *(ScriptedRound(0, 0, "main", reason, (("kind", "RotatingKVCache"),)) for reason in PLAIN_REASONS),
    ScriptedRound(5, 5, "chats"),
)
BUSY_AND_HOT = {"load": 2.4, "slowed": "hot", "rounding": "rounded"}


FONTS = {"as it is": (100, 100), "wider letters": (130, 100), "larger text": (100, 140)}


@pytest.fixture(params=by_tier(FONTS, ["as it is"]))
def any_font(request: pytest.FixtureRequest, qapp: Application) -> Iterator[None]:
    """The fonts of this computer, and what others may be."""
    usual, (spacing, text_size) = qapp.font(), FONTS[request.param]
    font = QFont(usual)
    font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, spacing)
    qapp.setFont(font)
    qapp.theme.set_text_size(text_size)
    yield
    qapp.theme.set_text_size(100)
    qapp.setFont(usual)


@pytest.mark.usefixtures("any_font")
@pytest.mark.parametrize("any_font", FONTS, indirect=True)
@pytest.mark.parametrize("language", EACH_LANGUAGE)
@pytest.mark.parametrize(
    "last",
    [pytest.param(FULL, marks=pytest.mark.full), ScriptedRound(0, 0, "main", "no-match")],
    ids=["drafts", "plain"],
)
def test_nothing_moves_when_an_answer_grows_and_ends_whatever_there_is_to_say(
    panel: SpeculationPanel, qapp: Application, language: str, last: ScriptedRound
) -> None:
    qapp.language.choose(language)
    panel.resize(panel.width(), 1400)
    answer = Answer()
    panel.details.fold.setChecked(True)
    panel.show_answer(answer)
    before: list[int] = []
    for event in play(Script(WORDS[:300], (*EVERY_KIND, last))):
        if isinstance(event, TokensCommitted | Finished) and event.stats.rounds > 4:
            event = replace(event, stats=structs.replace(event.stats, **BUSY_AND_HOT))
        answer.apply([event])
        panel.refresh()
        if answer.has_story:
            # The layouts follow the language and the first charts.
            before = before or [heights(panel) for _ in range(3)][-1]
            assert heights(panel) == before
    assert answer.ended
    assert before
    assert len({record.reason for record in answer.rounds}) == len(PLAIN_REASONS) + 1


def labels_of(panel: SpeculationPanel) -> list[str]:
    """The texts that are shown, without those of the switch and the local API."""
    return [view.text() for view in panel.findChildren(QLabel) if view.isVisible() and view.text()]


OFF = (PlainSpan(1, "first-token"), PlainSpan(39, "off"))


@pytest.mark.usefixtures("any_font")
@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (Answer(), "Waiting for the first token"),
        (Answer(State.DONE, text="imported"), "Imported · no measurements"),
        (Answer(State.FAILED, text="half"), "No measurements"),
        (Answer(State.CANCELLED), "Stopped before the first token"),
        (Answer(State.CANCELLED, text="half"), "No measurements"),
        (Answer(State.DONE, stats=RequestStats(generated_tokens=40, decode_tps=30.4)), "30 tokens a second"),
        (
            Answer(State.DONE, stats=RequestStats(generated_tokens=40, decode_tps=30.4, plain_spans=OFF)),
            "30 tokens a second",
        ),
        (
            Answer(State.DONE, stats=RequestStats(generated_tokens=9, drafted=9, tokens_per_round=1.0, decode_tps=5.0)),
            "5.0 tokens a second · No draft token accepted",
        ),
    ],
)
def test_an_answer_without_a_story_has_one_line_and_no_charts(
    panel: SpeculationPanel, answer: Answer, line: str
) -> None:
    panel.details.fold.setChecked(True)
    panel.show_answer(answer)
    assert labels_of(panel) == ["This answer", "Drafts", line]
    charts = (panel.strip, panel.outcome, panel.details, panel.details.positions)
    assert not any(view.isVisible() for view in charts)
    panel.show_answer(Answer(stats=drafting()))
    assert all(view.isVisible() for view in charts)


@pytest.mark.parametrize(
    "answer",
    [
        # One look-up of several tokens.
        Answer(State.DONE, stats=RequestStats(drafted=40, accepted=40, accept_by_position=((1, 1),) * 40)),
        Answer(State.DONE, stats=drafting(), given_before=True),
        Answer(State.DONE, stats=drafting(), repeats=True),
    ],
)
def test_a_look_up_or_two_and_what_does_not_count_bring_no_charts(panel: SpeculationPanel, answer: Answer) -> None:
    panel.show_answer(answer)
    shown = (panel.strip, panel.outcome, panel.buttons, panel.details)
    assert not any(view.isVisible() for view in shown)
    assert panel.line.isVisible()


def test_a_gain_takes_the_place_of_the_accepted_drafts_and_moves_nothing(panel: SpeculationPanel) -> None:
    """The gain may come to be known after somebody has looked at the figures."""
    answer = Answer(State.DONE, stats=drafting(tokens_per_round=3.0))
    panel.show_answer(answer)
    assert panel.outcome.text() == "20 of 30 drafts accepted"
    assert panel.speeds.text() == "3.0 tokens a round instead of 1 · 30 tokens a second"
    before = [heights(panel) for _ in range(3)][-1]
    answer.pair_speedup = 2.0
    panel.refresh()
    assert panel.outcome.text() == "2.0× as fast"
    assert panel.speeds.text() == f"20 of 30 drafts accepted · {'3.0 tokens a round instead of 1 · 30 tokens a second'}"
    assert heights(panel) == before


NO_MATCH = ScriptedRound(0, 0, "main", "no-match")
COPIED = ScriptedRound(3, 1, "ngram")
SEQUENCES: dict[str, tuple[ScriptedRound, ...]] = {
    "a copy now and then": (COPIED, *[NO_MATCH] * 20),
    "copies at the beginning": (COPIED, COPIED, ScriptedRound(3, 2, "ngram"), *[NO_MATCH] * 300),
    "one long copy": (NO_MATCH, ScriptedRound(40, 40, "ngram"), *[NO_MATCH] * 3000),
    "a good draft that stops": (*[FULL] * 6, *[ScriptedRound(0, 0, "main", "costs-more")] * 400),
    "a good draft that begins late": (*[NO_MATCH] * 200, *[FULL] * 60),
    "a draft that is mostly wrong": (ScriptedRound(4, 0), ScriptedRound(4, 1), ScriptedRound(4, 0)),
    "as on most days": PATTERN,
}


@pytest.mark.parametrize(
    ("name", "forms"),
    by_tier(
        [
            ("a copy now and then", "line"),
            ("copies at the beginning", "line"),
            ("one long copy", "line"),
            ("a good draft that stops", "line charts"),
            ("a good draft that begins late", "line charts"),
            ("a draft that is mostly wrong", "line charts"),
            ("as on most days", "line charts"),
        ],
        [("copies at the beginning", "line"), ("a good draft that stops", "line charts")],
    ),
)
def test_within_an_answer_the_panel_begins_with_one_line_and_turns_to_charts_at_most_once(
    panel: SpeculationPanel, name: str, forms: str
) -> None:
    answer = Answer()
    panel.show_answer(answer)
    seen = []
    for event in play(Script(WORDS[:2400], SEQUENCES[name], figures={"sources": ("ngram",)})):
        answer.apply([event])
        panel.refresh()
        form = "charts" if panel.outcome.isVisible() else "line"
        assert panel.line.isVisible() == (form == "line")
        if form == "line":
            # Nothing contradicts a word that was copied.
            assert len(labels_of(panel)) == 3
            assert not (answer.stats.accepted and "no matching text" in panel.line.text())
        seen += [form] if seen[-1:] != [form] else []
    assert " ".join(seen) == forms


@pytest.mark.parametrize(
    ("sources", "line"),
    [
        (("ngram",), "2.1 tokens a second · 4 tokens copied from earlier"),
        (("chats", "ngram"), "2.1 tokens a second · 4 tokens copied from earlier"),
        (("draft",), "2.1 tokens a second · 4 tokens came from drafts"),
        (("draft", "ngram"), "2.1 tokens a second · 4 tokens came from drafts"),
    ],
)
def test_an_answer_that_hardly_drafted_has_one_grey_line(
    panel: SpeculationPanel, sources: tuple[str, ...], line: str
) -> None:
    stats = RequestStats(
        generated_tokens=258, drafted=12, accepted=4, decode_tps=2.1, accept_by_position=((4, 3),), sources=sources
    )
    panel.show_answer(Answer(State.DONE, "text", stats=stats))
    assert labels_of(panel) == ["This answer", "Drafts", line]
    assert not panel.buttons.isVisible()


@pytest.mark.parametrize(
    ("state", "words"), [(CallState.ASKS, "Waiting for you"), (CallState.RUNS, "A tool is running")]
)
@pytest.mark.parametrize("stats", [drafting(), RequestStats(generated_tokens=9, decode_tps=84.0)])
def test_while_a_call_waits_no_speed_is_said(
    panel: SpeculationPanel, state: CallState, words: str, stats: RequestStats
) -> None:
    call = ToolRun(ToolUse("files", "read", {}), state=state)
    panel.show_answer(Answer(State.CALLING, stats=stats, calls=[call]))
    shown = " ".join(labels_of(panel))
    assert words in shown
    assert "a second" not in shown
    assert "Drafting" not in shown


@pytest.mark.parametrize(("load", "line"), [(3.0, "Slow: this Mac is busy"), (None, "0.4 tokens a second")])
def test_a_speed_below_one_token_is_said_to_be_load_where_that_is_known(
    panel: SpeculationPanel, load: float | None, line: str
) -> None:
    panel.show_answer(Answer(State.DONE, "text", stats=RequestStats(generated_tokens=9, decode_tps=0.4, load=load)))
    assert labels_of(panel) == ["This answer", "Drafts", line]


@pytest.mark.parametrize(
    ("stats", "words"),
    [
        ({"ttft_s": 0.02}, "First token after 0.02 s"),
        ({"ttft_s": 0.02, "saved_s": -0.1, "prompt_tokens": 35}, "First token after 0.02 s"),
        (
            {"ttft_s": 2.5, "picture_s": 1.25, "saved_s": 1.44, "cached_tokens": 27, "prompt_tokens": 35},
            "First token after 2.50 s · 1.25 s of it for pictures · drafts saved 1.4 s\n"
            "27 of 35 prompt tokens were remembered.",
        ),
    ],
)
def test_the_details_are_two_sentences_without_what_is_unknown(
    panel: SpeculationPanel, stats: dict[str, float], words: str
) -> None:
    panel.show_answer(Answer(State.DONE, stats=drafting(**stats)))
    assert panel.details.words.text() == words


@pytest.mark.parametrize(
    ("remedy", "accepted", "buttons"),
    [
        ("choose-draft", 0, ["Choose draft model…"]),
        # With drafts turned off, Compare shows what they would gain.
        ("compare", 0, ["Compare"]),
        # Where drafts are on and wrote next to nothing, there is nothing to compare.
        ("", 0, []),
        ("", 20, ["Compare", "Request history…"]),
    ],
)
def test_compare_is_offered_where_there_is_something_to_compare(
    panel: SpeculationPanel, remedy: str, accepted: int, buttons: list[str]
) -> None:
    panel.show_state(str, remedy, looks_up=False)
    panel.show_answer(Answer(State.DONE, stats=drafting(accepted)))
    shown = [button for button in panel.buttons.findChildren(QPushButton) if button.isVisible()]
    assert [button.text() for button in shown] == buttons


@pytest.mark.first
@pytest.mark.usefixtures("any_font")
def test_an_answer_without_drafts_says_why_once(panel: SpeculationPanel) -> None:
    answer = Answer()
    answer.apply(list(play(Script("one two three four", (ScriptedRound(0, 0, "main", "no-match"),)))))
    panel.show_answer(answer)
    assert len([text for text in labels_of(panel) if "Without speculation: no matching text earlier" in text]) == 1


def test_before_the_first_answer_a_round_is_drawn_in_three_steps(panel: SpeculationPanel) -> None:
    panel.show_state(str, "", looks_up=False)
    panel.show_answer(None)
    assert panel.sample.isVisible()
    assert not panel.outcome.isVisible()
    assert not panel.strip.isVisible()
    # A step has its number, its words and the text so far before the tokens.
    drafted, checked, kept = ([part.text() for part in step.findChildren(QLabel)][3:] for step in panel.sample.steps)
    accepted = [token.removesuffix(" ✓") for token in checked if token.endswith("✓")]
    assert drafted[: len(accepted)] == accepted == kept[:-1]
    # The round of the sample is one as the engine runs it: the main model's own token stands in for the rejected one.
    assert checked[len(accepted)] == f"{drafted[len(accepted)]} ✗"
    assert kept[-1] not in drafted
    panel.show_answer(Answer())
    assert not panel.sample.isVisible()


@pytest.mark.parametrize("language", ["en", "ko"])
def test_nothing_is_said_of_a_source_before_it_is_known_and_the_sentence_follows_the_language(
    panel: SpeculationPanel, qapp: Application, language: str
) -> None:
    loading = Pair(loading="main")
    panel.show_answer(None)
    panel.show_state(lambda: idle_sentence(loading, "auto"), "", None)
    assert not panel.sample.isVisible()
    panel.show_state(lambda: idle_sentence(Pair(), "auto"), "", looks_up=True)
    assert panel.sample.isVisible()
    qapp.language.choose(language)
    qapp.processEvents()
    assert idle_sentence(Pair(), "auto") in labels_of(panel)


def test_a_round_whose_tokens_are_looked_up_is_drawn_and_explained_without_a_draft_model(
    panel: SpeculationPanel,
) -> None:
    panel.show_answer(None)
    step = panel.sample.steps[0]
    assert "draft model" in step.words.text()
    panel.show_state(str, "", looks_up=True)
    assert step.words.text() == "Tandem copies what followed the same words earlier."
    assert [part.property("styleClass") for part in step.findChildren(QLabel)][-5:] == ["token-lookup"] * 5


def test_acceptance_by_position_is_shown_where_a_token_was_rejected(panel: SpeculationPanel) -> None:
    panel.details.fold.setChecked(True)
    panel.show_answer(Answer(stats=drafting()))
    assert panel.details.positions.isVisible()
    panel.show_answer(Answer(stats=structs.replace(drafting(), accept_by_position=((4, 4), (3, 3)))))
    assert panel.details.isVisible()
    assert not panel.details.positions.isVisible()


@pytest.mark.parametrize(("accepted", "rejected"), [(5, []), (4, ["rejected"])])
def test_the_legend_names_only_what_there_is_and_each_has_its_colour(
    panel: SpeculationPanel, accepted: int, rejected: list[str]
) -> None:
    rounds = (ScriptedRound(6, 6, "ngram"), ScriptedRound(5, accepted, "chats"))
    answer = Answer()
    answer.apply(list(play(Script(WORDS[:80], rounds))))
    panel.show_answer(answer)
    [legend] = panel.findChildren(TokenLegend)
    assert names_in(legend) == ["main", "prompt lookup", "from your chats", *rejected]
    assert len({theme.colours().accent(role_of(source)) for source in ("main", "draft", "ngram", "chats")}) == 4


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=() if name in ("en", "ko") else pytest.mark.full) for name in LANGUAGES]
)
def test_every_figure_and_chart_is_explained_in_a_sentence_and_the_sample_is_whole(
    panel: SpeculationPanel, qapp: Application, qtbot: QtBot, language: str
) -> None:
    qapp.language.choose(language)
    qapp.processEvents()
    panel.show_answer(None)
    steps = panel.sample.steps
    # A number and words, then the tokens.
    qtbot.waitUntil(lambda: [len(step.findChildren(QLabel)) - 2 for step in steps] == [6, 6, ACCEPTED + 2])
    panel.details.fold.setChecked(True)
    panel.show_answer(Answer(State.DONE, stats=drafting(tokens_per_round=3.0), pair_speedup=2.0))
    assert all(sentence.endswith((".", "요.", "。")) for sentence in EXPLANATIONS.values())
    assert len(set(EXPLANATIONS.values())) == len(EXPLANATIONS)
    tips = {view.toolTip() for view in panel.findChildren(QWidget) if view.isVisibleTo(panel) and view.toolTip()}
    explained = "".join(tips)
    assert all(f"<p>{html.escape(sentence)}</p>" in explained for sentence in EXPLANATIONS.values())


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, "–"), (1.44, "1.4 s"), (-2.0, "-2.0 s"), (42.4, "42 s"), (89.0, "89 s"), (754, "13 min"), (9000, "2.5 h")],
)
def test_a_long_time_is_shown_in_its_largest_unit(seconds: float | None, shown: str) -> None:
    assert figures.duration(seconds) == shown


# The pair, as it was measured; with its answer in the panel.
@pytest.mark.parametrize(
    ("pair_speedup", "stats", "shown", "is_good"),
    [
        (2.14, drafting(tokens_per_round=3.0), "2.1× as fast", True),
        (4.4, drafting(tokens_per_round=5.0), "4× as fast", True),
        # The bounds of one answer are no figure.
        (None, drafting(speedup_low=1.84, speedup_high=3.1), "20 of 30 drafts accepted", False),
        (None, drafting(speedup=2.1, speedup_low=2.05, speedup_high=2.15), "20 of 30 drafts accepted", False),
        (1.04, drafting(tokens_per_round=3.0), "20 of 30 drafts accepted", False),
        # This answer gained less.
        (2.14, drafting(tokens_per_round=1.6), "20 of 30 drafts accepted", False),
    ],
)
def test_the_outcome_is_the_figure_of_the_pair_or_none(
    panel: SpeculationPanel, pair_speedup: float | None, stats: RequestStats, shown: str, *, is_good: bool
) -> None:
    answer = Answer(State.DONE, stats=stats, pair_speedup=pair_speedup)
    panel.show_answer(answer)
    assert panel.outcome.text() == shown
    assert (panel.outcome.property("styleClass") == "big-good") == is_good
    # The line below the answer says the same, if speculation gained anything.
    assert capitalized(origin_text(answer)) == (shown if is_good else "")
    texts = labels_of(panel)
    assert sum("×" in text for text in texts) == is_good
    assert len([text for text in texts if "a second" in text]) == 1


def test_while_an_answer_is_written_it_has_no_figure_yet(panel: SpeculationPanel) -> None:
    panel.show_answer(Answer(State.WRITING, stats=drafting(tokens_per_round=5.0), pair_speedup=4.4))
    assert panel.outcome.text() == "20 of 30 drafts accepted"
    assert not any("×" in text for text in labels_of(panel))


def test_the_figure_of_an_answer_in_the_panel_is_not_below_it_as_well() -> None:
    answer = Answer(State.DONE, stats=drafting(), model="Qwen3", pair_speedup=2.1)
    assert origin_text(answer) == "2.1× as fast · Qwen3"
    assert origin_text(answer, in_panel=True) == "Qwen3"


def test_a_refusal_is_not_praised(panel: SpeculationPanel) -> None:
    stats = drafting(plain_tps=7.0, tokens_per_round=5.0)
    refusal = read_content("en").offtopic.answer
    answer = Answer(State.DONE, refusal, stats=stats, model="starter/main", pair_speedup=4.4)
    panel.show_answer(answer)
    assert labels_of(panel) == ["This answer", "Drafts", "30 tokens a second"]
    assert origin_text(answer) == "Starter"


def test_the_foot_says_how_many_messages_the_context_could_not_hold() -> None:
    left_out = figures.footer(Answer(stats=RequestStats(decode_tps=30.0, dropped_messages=4)))
    assert left_out[-1] == ("older messages left out: {value}", "4")
    assert len(figures.footer(Answer(stats=RequestStats(decode_tps=30.0)))) == len(left_out) - 1


@pytest.mark.campaign
def test_a_frame_of_two_thousand_rounds_costs_less_than_two_milliseconds(panel: SpeculationPanel) -> None:
    """Busy time of one thread, so that other processes do not count; painting is in it."""
    answer, spent = Answer(), []
    panel.show_answer(answer)
    for event in rounds_of(2000):
        answer.apply([event])
        began = time.thread_time()
        panel.refresh()
        QCoreApplication.processEvents()
        spent.append(1000 * (time.thread_time() - began))
    ordered = sorted(spent)
    p99 = ordered[int(0.99 * len(ordered))]
    first, second = statistics.median(spent[:1000]), statistics.median(spent[1000:])
    sys.stderr.write(
        f"panel: median {statistics.median(spent):.2f} ms a frame (first half {first:.2f}, second {second:.2f}), "
        f"99th percentile {p99:.2f}, worst {ordered[-1]:.2f}\n"
    )
    assert statistics.median(spent) < 2.0
    assert second < 1.5 * first


def test_a_draft_that_does_not_fit_is_named(panel: SpeculationPanel) -> None:
    answer = Answer()
    panel.show_answer(answer)
    for event in play(Script("one two three four five six seven eight", (ScriptedRound(3, 0),))):
        if isinstance(event, TokensCommitted | Finished):
            event = replace(event, stats=structs.replace(event.stats, draft_fits=False))
        answer.apply([event])
        panel.refresh()
        if answer.rounds:
            shown = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
            assert [text for text in shown if "This draft does not fit this model" in text]
    assert answer.ended


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, ""),
        ({"slowed": "low-power"}, "Low Power Mode is on: this Mac runs slower"),
        ({"slowed": "hot"}, "is hot"),
        ({"slowed": "memory"}, "almost out of memory"),
        ({"thinking_limit": 1024}, "The limit of 1,024 tokens ended its thoughts."),
    ],
)
@pytest.mark.parametrize("speculates", [True, False])
def test_the_panel_says_what_slowed_the_mac_and_what_ended_thoughts(
    panel: SpeculationPanel, known: dict[str, Any], words: str, speculates: bool
) -> None:
    answer = Answer()
    for event in play(Script(STORY, PATTERN if speculates else (PLAIN,))):
        if isinstance(event, TokensCommitted | Finished):
            event = replace(event, stats=structs.replace(event.stats, **known))
        answer.apply([event])
        panel.show_answer(answer)
    texts = [label.text() for label in panel.findChildren(QLabel)]
    shown = [text for text in texts if "slower" in text or "ended its thoughts" in text]
    assert len(shown) == bool(known)
    assert all(words in text for text in shown)


def test_details_say_what_verifying_costs_with_the_loaded_pair(panel: SpeculationPanel) -> None:
    costs = (WidthCost(4, 2.46, 1.23, used=True, alike=True),)
    rounding = Rounding((KeyRange(1117, 8),), costs)
    pair = LearnedPair(("main", "draft"), loaded=True, rounding=rounding)
    panel.show_answer(Answer(stats=drafting()))
    panel.details.fold.click()
    panel.details.show_costs((pair,))
    assert "as much as 1.2 plain tokens with Tandem's kernels, and 2.5 with MLX's" in panel.details.costs.text()
    assert panel.details.costs.isVisibleTo(panel)
    panel.details.show_costs((replace(pair, loaded=False),))
    assert not panel.details.costs.isVisibleTo(panel)
