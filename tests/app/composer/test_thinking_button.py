"""The switch of thinking below the message box: for models that have one, stored with its chat."""

from __future__ import annotations

import pytest

from app.composer.choice_buttons import ThinkingButton
from engine.tokenizers.thinking import ThinkingChoice
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

NONE: dict[str, object] = {}
ON, OFF, HIGH = {"enable_thinking": True}, {"enable_thinking": False}, {"reasoning_effort": "high"}


def test_a_model_without_a_choice_has_no_switch(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Yes.")])
    window = open_window(engine)
    assert window.find(ThinkingButton).isHidden()
    window.ask_and_wait("question")
    assert engine.requests[-1].template_options == NONE


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
    title = window.titles[0]
    window.trigger("new-chat")
    assert button.text() == "Thinking: On"
    window.open_chat(title)
    assert button.text() == "Thinking: Off"
    button.click()
    window.ask_and_wait("third")
    assert [request.template_options for request in engine.requests] == [NONE, OFF, ON]


@pytest.mark.parametrize(
    ("levels", "default", "shown", "options"),
    [
        pytest.param(("off", "on"), "off", "Off", ON, id="off by itself", marks=pytest.mark.full),
        pytest.param(("off", "on"), "", "Model default", ON, id="neither by itself"),
        pytest.param(("low", "medium", "high"), "medium", "Medium", HIGH, id="levels", marks=pytest.mark.full),
        pytest.param(("low", "high"), "", "Model default", HIGH, id="levels without a default", marks=pytest.mark.full),
        pytest.param(("off", "on", "low", "high"), "off", "Off", {**ON, **HIGH}, id="switch with levels"),
    ],
)
def test_a_model_is_left_alone_until_a_choice(
    open_window: OpenWindow, levels: tuple[str, ...], default: str, shown: str, options: dict[str, object]
) -> None:
    engine = ScriptedEngine([Script("Yes.")], thinking=ThinkingChoice(levels, default))
    window = open_window(engine)
    button = window.find(ThinkingButton)
    assert (button.text(), button.isChecked()) == (f"Thinking: {shown}", False)
    window.ask_and_wait("first")
    if levels == ("off", "on"):
        button.click()
        assert (button.text(), button.isChecked()) == ("Thinking: On", True)
    else:
        button.menu().aboutToShow.emit()
        actions = {action.text(): action for action in button.menu().actions()}
        assert list(actions) == [level.capitalize() for level in levels]
        actions["High"].trigger()
        assert button.text() == "Thinking: High"
    window.ask_and_wait("second")
    assert [request.template_options for request in engine.requests] == [NONE, options]
