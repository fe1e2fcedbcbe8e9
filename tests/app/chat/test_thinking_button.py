"""The switch of thinking in the composer: for models that have one, kept with its chat."""

from __future__ import annotations

import pytest

from app.chat.thinking_button import ThinkingButton
from engine.tokenizers.thinking import ThinkingChoice
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import Script, ScriptedEngine


def test_a_model_without_a_choice_has_no_switch(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Yes.")])
    window = open_window(engine)
    assert window.find(ThinkingButton).isHidden()
    window.ask_and_wait("question")
    assert engine.requests[-1].template_options == {}


def test_the_switch_reaches_the_template_and_stays_with_its_chat(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Yes.")], thinking=ThinkingChoice(("off", "on"), "on"))
    window = open_window(engine)
    button = window.find(ThinkingButton)
    assert not button.isHidden()
    assert (button.text(), button.isChecked()) == ("Thinking: On", True)
    window.ask_and_wait("first")
    button.click()
    assert (button.text(), button.isChecked()) == ("Thinking: Off", False)
    window.ask_and_wait("second")
    assert [request.template_options for request in engine.requests] == [{}, {"enable_thinking": False}]
    title = window.titles[0]
    window.trigger("new-chat")
    assert button.text() == "Thinking: On"
    window.open_chat(title)
    assert button.text() == "Thinking: Off"
    button.click()
    window.ask_and_wait("third")
    assert engine.requests[-1].template_options == {"enable_thinking": True}


@pytest.mark.parametrize("level", ["Low", "High"])
def test_levels_are_chosen_from_a_menu(open_window: OpenWindow, level: str) -> None:
    engine = ScriptedEngine([Script("Yes.")], thinking=ThinkingChoice(("low", "medium", "high"), "medium"))
    window = open_window(engine)
    button = window.find(ThinkingButton)
    assert button.text() == "Thinking: Medium"
    menu = button.menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["Low", "Medium", "High"]
    next(action for action in menu.actions() if action.text() == level).trigger()
    assert button.text() == f"Thinking: {level}"
    window.ask_and_wait("question")
    assert engine.requests[-1].template_options == {"reasoning_effort": level.lower()}


def test_a_model_that_thinks_only_if_told_to_says_so(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Yes.")], thinking=ThinkingChoice(("off", "on"), "off"))
    window = open_window(engine)
    button = window.find(ThinkingButton)
    assert (button.text(), button.isChecked()) == ("Thinking: Off", False)
    window.ask_and_wait("first")
    button.click()
    window.ask_and_wait("second")
    assert [request.template_options for request in engine.requests] == [{}, {"enable_thinking": True}]


@pytest.mark.parametrize("levels", [("off", "on"), ("low", "high")])
def test_a_model_that_does_neither_by_itself_is_left_alone_until_a_choice(
    open_window: OpenWindow, levels: tuple[str, ...]
) -> None:
    engine = ScriptedEngine([Script("Yes.")], thinking=ThinkingChoice(levels))
    window = open_window(engine)
    button = window.find(ThinkingButton)
    assert (button.text(), button.isChecked()) == ("Thinking: Model default", False)
    window.ask_and_wait("first")
    assert engine.requests[-1].template_options == {}


def test_a_switch_with_levels_has_them_all_in_the_menu(open_window: OpenWindow) -> None:
    levels = ("off", "on", "low", "medium", "high")
    engine = ScriptedEngine([Script("Yes.")], thinking=ThinkingChoice(levels, "off"))
    window = open_window(engine)
    button = window.find(ThinkingButton)
    assert button.text() == "Thinking: Off"
    button.menu().aboutToShow.emit()
    actions = {action.text(): action for action in button.menu().actions()}
    assert list(actions) == ["Off", "On", "Low", "Medium", "High"]
    actions["High"].trigger()
    window.ask_and_wait("question")
    assert engine.requests[-1].template_options == {"enable_thinking": True, "reasoning_effort": "high"}
