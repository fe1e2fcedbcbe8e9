"""The pickers: their rows and texts, what the user chooses in them, and that the keyboard is enough."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.conversations.request_history import Totals
from app.widgets.application import Application
from engine.advice.speedup import SpeedupEstimate
from engine.hub.failures import HubError
from tests.app.conftest import OpenShown
from tests.app.shown_library import DRAFT, FOREIGN, LARGER, MAIN, WIDE, bare, downloading, path_of, stocked
from tests.app.window_driver import texts
from tests.app.window_parts import PickerDriver, button
from tests.engine.tiers import by_tier


def press(picker: PickerDriver, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(picker.field, key)


def row_of(picker: PickerDriver, id_: str) -> int:
    return next(index for index, choice in enumerate(picker.choices) if choice.id == id_)


def choose(picker: PickerDriver, index: int) -> None:
    """Choose a row of the opened picker with the keyboard."""
    picker.select(index)
    press(picker, Qt.Key.Key_Return)


def of(accepted: int, drafted: int, speedup: float | None = None) -> Totals:
    """What is measured of a pair."""
    return Totals(accept_rate=accepted / drafted, drafted=drafted, accepted=accepted, speedup=speedup)


def test_a_draft_says_what_it_has_brought_and_what_was_not_tried_is_below(
    open_settings: OpenShown, qapp: Application, qtbot: QtBot
) -> None:
    window, library, _ = open_settings()
    picker = window.picker("draft")
    picker.open()
    before = [
        "Qwen3 0.6B · 4-bit, Not tried, in use",
        "Qwen3 1.7B · 4-bit, Not tried\u00a0· expected: about 1.4× as fast, 968\u00a0MB, Download",
        "Prompt lookup, Not tried, Try",
        "SmolLM2 135M · 4-bit, Not tried, Try",
        "No draft, 1× as fast",
        "Qwen3 4B · 4-bit, Too slow to help: each draft token takes 49% of a main-model step.",
        "Llama 3.2 1B · 4-bit, Won't fit alongside the main model (1.2\u00a0GB short).",
    ]
    assert picker.rows == before
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: "아직" in picker.rows[0])
    assert all(one != other for one, other in zip(before, picker.rows, strict=True))
    qapp.language.choose("en")
    library.take_measured(
        {
            (MAIN, FOREIGN): of(24, 120),
            (MAIN, ""): of(4, 12),
            (MAIN, DRAFT): of(309, 412, 1.87),
            (MAIN, "of/another"): of(9, 10, 3.0),
        }
    )
    assert picker.rows[:3] == [
        "Qwen3 0.6B · 4-bit, 309 of 412 drafts accepted, 1.9× as fast, in use",
        "Prompt lookup, 4 of 12 drafts accepted",
        "SmolLM2 135M · 4-bit, 24 of 120 drafts accepted",
    ]
    row = picker.row(0)
    assert row.gain.text() == "1.9×"
    assert row.bar.accessibleName() == "309 of 412 drafts accepted"
    picker.find_more()
    assert window.settings.isVisible()
    assert window.settings.page("models").isVisible()


@pytest.mark.parametrize(
    ("used", "lookup", "foreign", "order"),
    [
        # What gains is first, and what makes answers slower is below what is only counted.
        ((5, 10, 2.0), (9, 10, 3.0), (1, 10, None), ["lookup", DRAFT, FOREIGN]),
        ((9, 10, 0.9), (1, 10, None), (5, 10, None), [FOREIGN, "lookup", DRAFT]),
        # With no draft token accepted, answers are as fast as without drafts.
        ((0, 10, 1.0), (1, 10, None), (9, 10, 0.8), ["lookup", DRAFT, FOREIGN]),
    ],
)
def test_the_best_draft_is_first(
    open_settings: OpenShown, used: Any, lookup: Any, foreign: Any, order: list[str]
) -> None:
    window, library, _ = open_settings()
    library.take_measured({(MAIN, DRAFT): of(*used), (MAIN, ""): of(*lookup), (MAIN, FOREIGN): of(*foreign)})
    picker = window.picker("draft")
    picker.open()
    assert [choice.id or choice.kind for choice in picker.choices][: len(order)] == order


def test_a_draft_of_which_no_token_was_accepted_claims_no_ratio(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.take_measured({(MAIN, DRAFT): of(0, 12, 1.0)})
    picker = window.picker("draft")
    picker.open()
    assert picker.rows[0] == "Qwen3 0.6B · 4-bit, 0 of 12 drafts accepted, in use"


def test_what_was_compared_without_a_stored_answer_has_a_ratio_only(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.take_measured({(MAIN, DRAFT): Totals(speedup=2.0)})
    picker = window.picker("draft")
    picker.open()
    assert picker.rows[0] == "Qwen3 0.6B · 4-bit, 2.0× as fast, in use"
    assert not picker.row(0).bar.isVisible()


def test_how_a_draft_suits_the_main_model_is_in_its_tip_and_for_screen_readers(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    picker = window.picker("draft")
    picker.open()
    index = row_of(picker, FOREIGN)
    details = "Different tokenizer: text is re-encoded (41% of tokens shared).\nIn memory: 80\u00a0MB"
    assert "okenizer" not in "".join(picker.rows)
    assert picker.row(index).toolTip() == details
    picker.select(index)
    assert picker.field.accessibleDescription() == f"{picker.rows[index]}\n{details}"


def test_the_button_of_a_draft_that_was_not_tried_chooses_it(open_settings: OpenShown, qtbot: QtBot) -> None:
    window, library, _ = open_settings()
    picker = window.picker("draft")
    picker.open()
    row = picker.row(row_of(picker, FOREIGN))
    button(row, f"Try: {row.name.text()}").click()
    assert not picker.is_open
    qtbot.waitUntil(lambda: window.session.models.pair.paths == (path_of(MAIN), path_of(FOREIGN)))
    # Once an answer has tried it, it has figures in place of the button.
    library.take_measured({(MAIN, FOREIGN): of(24, 120)})
    picker.open()
    assert picker.rows[0] == "SmolLM2 135M · 4-bit, 24 of 120 drafts accepted, in use"


def test_a_range_is_expected_until_it_is_measured(open_settings: OpenShown, qapp: Application, qtbot: QtBot) -> None:
    window, library, _ = open_settings()
    used, advice, *others = library.shown_advice
    library.shown_advice = (used, replace(advice, expected=SpeedupEstimate(1.2, bounds=(0.94, 1.62))), *others)
    picker = window.picker("draft")
    picker.open()
    assert "expected: 0.9×\u00a0to\u00a01.6× as fast" in picker.rows[1]
    for language, words in (
        ("ko", "0.9배~1.6배"),
        ("ja", "0.9倍～1.6倍"),
        ("zh_CN", "0.9\u00a0倍–1.6\u00a0倍"),
    ):
        qapp.language.choose(language)
        qtbot.waitUntil(lambda words=words: words in picker.rows[1])
    qapp.language.choose("en")
    library.take_measured({(MAIN, advice.id): of(5, 10, 0.97)})
    assert "5 of 10 drafts accepted, 1.0× as fast" in picker.rows[0]
    assert "1.6×" not in "".join(picker.rows)


def test_an_estimate_is_no_recommendation_against_the_draft_in_use(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    used, other, *rest = library.shown_advice
    faster = replace(other, expected=SpeedupEstimate(2.5), best=True)
    larger = replace(rest[2], verdict="too-large", arguments=(("share", 2490),))
    library.shown_advice = (faster, replace(used, best=False), *rest[:2], larger)
    picker = window.picker("draft")
    picker.open()
    assert picker.rows[0].endswith("in use")
    assert "expected: about 2.5× as fast" in picker.rows[1]
    assert "Too slow: larger than the main model." in "".join(picker.rows)
    # What is in use is not below an estimate, whatever it was measured to be.
    library.take_measured({(MAIN, DRAFT): of(5, 10, 0.97)})
    assert picker.rows[0].endswith("in use")


def test_few_people_look_for_what_is_folded_below_the_drafts(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    picker = window.picker("draft")
    picker.open()
    shown = texts(picker.picker)
    assert not {"Draft ahead", "Teach this draft…", "Speculation: auto"} & set(shown)
    picker.show_more()
    assert {"Draft ahead", "Teach this draft…", "Speculation: auto"} <= set(texts(picker.picker))
    assert any("free for models" in text for text in texts(picker.picker))
    window.session.models.pair = replace(window.session.models.pair, draft=None)
    window.session.models.changed.emit()
    # There is no draft model to teach, or to draft ahead with.
    assert not {"Draft ahead", "Teach this draft…"} & set(texts(picker.picker))


def test_the_main_picker_puts_the_loaded_model_first_and_an_unused_guide_last(open_settings: OpenShown) -> None:
    window, library, _ = open_settings(bare(), ("starter/main", "starter/draft"))
    picker = window.picker("main")
    picker.open()
    kinds = [(choice.kind, choice.is_starter) for choice in picker.choices]
    assert kinds == [("use", True), ("fewer", False)] + [("get", False)] * 3
    assert "built in" in picker.rows[0]
    # A main model is downloaded together with its draft.
    choose(picker, 2)
    entry = picker.choices[2].entry
    assert entry is not None
    assert library.asked == [("add", entry.id), ("add", entry.draft)]


def test_the_main_picker_puts_real_models_before_an_unused_guide(open_settings: OpenShown) -> None:
    window, _, _ = open_settings()
    picker = window.picker("main")
    picker.open()
    choices = [choice for choice in picker.choices if choice.usable and choice.kind not in ("unload", "more")]
    assert (choices[0].id, choices[0].loaded) == (MAIN, True)
    installed = [choice for choice in choices if choice.kind == "use"]
    assert [choice.is_starter for choice in installed] == [False] * (len(installed) - 1) + [True]
    # A model of which a file is missing follows; what could be downloaded is folded.
    assert [choice.name for choice in choices[len(installed) :]] == ["Phi-4 mini"]
    # The row that unfolds it is above it, and is reached with the arrow keys.
    press(picker, Qt.Key.Key_Up)
    assert picker.field.accessibleDescription() == "Get more…, collapsed"
    press(picker, Qt.Key.Key_Return)
    kinds = [choice.kind for choice in picker.choices]
    assert kinds[kinds.index("fewer") + 1 :] == ["get"] * 3
    assert picker.field.accessibleDescription() == "Get more…, expanded"
    press(picker, Qt.Key.Key_Return)
    assert picker.choices[-1].kind == "more"
    # A search reaches the whole catalog.
    picker.field.setText("olmo 3")
    assert [(choice.kind, choice.name) for choice in picker.choices] == [("get", "Olmo 3 7B")]


def test_a_main_model_says_what_its_draft_has_brought(open_settings: OpenShown) -> None:
    window, library, _ = open_settings()
    library.take_measured({(MAIN, DRAFT): of(309, 412, 2.5), (MAIN, FOREIGN): of(1, 9)})
    picker = window.picker("main")
    picker.open()
    words = "With its draft\u00a0· 2.5× as fast (measured)\u00a0· 309 of 412 drafts accepted"
    assert words in picker.rows[0]
    assert not any("accepted" in row for row in picker.rows[1:])


def test_arrows_and_enter_switch_the_main_model_with_its_draft(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, _, engine = open_shown(pair=("starter/main", "starter/draft"))
    window.trigger("choose-main")
    picker = window.picker("main")
    assert picker.field.hasFocus()
    assert picker.choices[picker.list.currentRow()].is_starter
    assert picker.field.accessibleDescription().startswith("Starter, built in, It only explains Tandem.")
    steps = (row_of(picker, MAIN) - picker.list.currentRow()) % picker.list.count()
    press(picker, *[Qt.Key.Key_Down] * steps, Qt.Key.Key_Return)
    assert not picker.is_open
    qtbot.waitUntil(
        lambda: not window.session.models.pair.loading and window.session.models.pair.main.name == "Qwen3-8B-4bit"
    )
    assert str(engine.pair.draft.path) == path_of(DRAFT)  # type: ignore[union-attr]


def test_typing_finds_and_up_wraps_around_and_escape_gives_the_focus_back(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    window.edit.setFocus()
    window.trigger("choose-draft")
    picker = window.picker("draft")
    picker.field.setText("qwen 1.7")
    assert [choice.id for choice in picker.choices] == [LARGER]
    picker.field.clear()
    press(picker, Qt.Key.Key_Up, Qt.Key.Key_Up)
    assert picker.list.currentRow() == len(picker.choices) - 1
    picker.field.setText("nothing like it")
    assert (picker.choices, picker.note_text) == ([], "No matching models")
    press(picker, Qt.Key.Key_Return)
    assert picker.is_open
    press(picker, Qt.Key.Key_Escape)
    assert not picker.is_open
    assert window.edit.hasFocus()
    window.resize(620, 460)
    for picker in (window.picker("main"), window.picker("draft")):
        picker.open()
        assert window.rect().contains(picker.picker.geometry())
        picker.close()


def test_get_downloads_in_place_and_the_row_shows_how_it_gets_on(open_settings: OpenShown) -> None:
    window, library, engine = open_settings()
    picker = window.picker("draft")
    picker.open()
    # A model that does not help cannot be chosen.
    choose(picker, row_of(picker, WIDE))
    assert (picker.is_open, library.asked) == (True, [])
    assert str(engine.pair.draft.path) == path_of(DRAFT)  # type: ignore[union-attr]
    choose(picker, row_of(picker, LARGER))
    assert library.asked == [("add", LARGER)]
    library.show(downloading(LARGER, bytes_done=484_000_000, bytes_total=968_000_000))
    row = picker.row(row_of(picker, LARGER))
    assert row.spoken.startswith("Qwen3 1.7B · 4-bit, downloading, 484\u00a0MB of 968\u00a0MB · 48\u00a0MB/s")
    assert picker.list.currentRow() == row_of(picker, LARGER)
    press(picker, Qt.Key.Key_Return)
    assert library.asked == [("add", LARGER)]
    library.show(downloading(LARGER, waits_for_network=True))
    assert ", waiting, " in picker.row(row_of(picker, LARGER)).spoken
    library.show(downloading(LARGER, "failed", error=HubError("gated", LARGER)))
    row = picker.row(row_of(picker, LARGER))
    assert "is gated" in row.spoken
    row.findChild(QPushButton).click()
    assert library.asked == [("add", LARGER), ("resume", LARGER)]


@pytest.mark.parametrize("presses_key", by_tier([True, False], [True]), ids=["key", "cross"])
def test_drafts_and_lookup_are_chosen_at_run_time_and_unloading_frees_both_models(
    open_settings: OpenShown, qtbot: QtBot, presses_key: bool
) -> None:
    window, _, engine = open_settings()
    session, picker = window.session, window.picker("draft")
    picker.open()
    choose(picker, row_of(picker, FOREIGN))
    qtbot.waitUntil(lambda: session.models.pair.paths == (path_of(MAIN), path_of(FOREIGN)))
    for kind, method in (("lookup", "ngram"), ("none", "off")):
        picker.open()
        choose(picker, next(i for i, one in enumerate(picker.choices) if one.kind == kind))
        qtbot.waitUntil(lambda: session.models.pair.draft is None and not session.models.pair.loading)
        assert session.settings.speculation.method == method
        picker.open()
        assert [one.kind for one in picker.choices if one.loaded] == [kind]
        picker.close()
    picker.open()
    choose(picker, row_of(picker, DRAFT))
    qtbot.waitUntil(lambda: session.models.pair.draft is not None)
    assert session.settings.speculation.method == "auto"
    mains = window.picker("main")
    # What a program has loaded is unloaded alone.
    engine.load_additional("small").result()
    mains.open()
    qtbot.waitUntil(lambda: [choice.kind for choice in mains.choices].count("unload") == 1)
    unloading = next(index for index, one in enumerate(mains.choices) if one.kind == "unload")
    words = mains.rows[unloading].replace("\xa0", " ")
    assert words == "Unload small, Frees the memory of this model., 20 MB in memory"
    choose(mains, unloading)
    qtbot.waitUntil(lambda: len(session.models.in_memory) == 1)
    assert session.models.pair.draft is not None
    # A model that has a row is unloaded there.
    mains.open()
    press(mains, Qt.Key.Key_Down)
    QTest.keyClick(mains.field, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert session.models.pair.main is not None
    cross = mains.row(0).cross
    assert cross.accessibleName().startswith("Unload Qwen3 8B")
    assert mains.field.accessibleDescription() == mains.rows[1]
    press(mains, Qt.Key.Key_Up)
    assert "Ctrl+U" in mains.field.accessibleDescription()
    if presses_key:
        QTest.keyClick(mains.field, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    else:
        cross.click()
    qtbot.waitUntil(lambda: session.models.pair.main is None)
    assert engine.pair.draft is None
    assert mains.is_open
    qtbot.waitUntil(lambda: not any(mains.row(number).cross.isVisible() for number in range(len(mains.choices))))
    mains.close()
    picker.open()
    assert (picker.choices, picker.note_text) == ([], "Choose a main model first.")


def test_an_answer_that_ends_leaves_the_speed_of_its_pair(open_settings: OpenShown, qtbot: QtBot) -> None:
    inventory = stocked()
    # The name of a model in the user's own folder is the folder's.
    own = tuple(replace(entry, id=entry.id.rsplit("/", 1)[-1], source="folder") for entry in inventory.installed)
    window, library, _ = open_settings(replace(inventory, installed=own))
    library.shown_advice = tuple(replace(one, id=one.id.rsplit("/", 1)[-1]) for one in library.shown_advice)
    window.session.answers.ask("hello")
    qtbot.waitUntil(lambda: "Qwen3-0.6B-4bit" in library.measured_with(path_of(MAIN)))
    picker = window.picker("draft")
    picker.open()
    assert re.search(r"\d+ of \d+ drafts accepted, [\d.]+× as fast", picker.rows[0])
    assert window.session.chat.turns[0].answer.figures.drafted == picker.choices[0].counted.drafted
