"""The real window on the real engine and the starter pair."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pytestqt.qtbot import QtBot

from app.cli import self_test
from app.conversations.chat_settings import GenerationSettings
from app.session.answer import State
from app.session.api_service import ApiChoice
from app.session.session import Session
from app.speculation.comparison import Comparer, ComparisonResult, ComparisonStep
from app.system.background import Background
from app.system.language import LANGUAGES
from app.transcript.call_card import CallCard
from app.transcript.starter_line import StarterLine
from app.widgets.application import Application
from app.window import startup
from app.window.main_window import MainWindow
from app.wording import figures
from app.wording.errors import error_sentence
from engine import Engine, SpeculationSettings, starter_pair
from engine.errors import EngineError, ModelNotUsable
from engine.status import LoadedPair
from resources.starter.recipe.content import LANGUAGES as CONTENT_LANGUAGES
from resources.starter.recipe.content import read_typed
from tests.app.conftest import STARTER
from tests.app.free_port import free_port
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script
from tests.app.shown_library import ShownLibrary, bare
from tests.app.window_driver import WindowDriver, enter_number
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


def opened(qapp: Application, qtbot: QtBot) -> WindowDriver:
    """Open the window on a real engine, and wait until it can answer."""
    session = Session(Engine, starter_pair())
    window = MainWindow(session, qapp)
    window.show()
    session.models.load_starter()
    qtbot.waitUntil(lambda: session.answers.ready)
    return WindowDriver(window, session, qtbot.waitUntil)


@pytest.fixture
def window(qapp: Application, qtbot: QtBot) -> WindowDriver:
    window = opened(qapp, qtbot)
    qtbot.waitUntil(lambda: not window.session.models.pair.loading)
    # A fixed depth, since the depth that Auto chooses depends on the load of the machine.
    window.session.settings.set_defaults(GenerationSettings(speculation=SpeculationSettings(depth=4)))
    return window


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("What is Tandem?", marks=pytest.mark.full),
        "탠덤이 뭐예요?",
        pytest.param("Tandem とは何ですか？", marks=pytest.mark.full),
        pytest.param("Tandem 是什么？", marks=pytest.mark.full),
    ],
)
def test_a_question_in_each_language_is_answered_with_guesses(window: WindowDriver, question: str) -> None:
    window.ask_and_wait(question)
    answer = window.answer()
    assert answer.state is State.DONE
    assert answer.text.strip()
    assert answer.stats.drafted > 0
    assert "".join(token.text for token in answer.tokens) == answer.text
    panel, stats = window.panel, answer.stats
    seconds = stats.draft_s + stats.verify_s + stats.host_s
    assert f"{stats.accepted} of {stats.drafted} drafts accepted" in f"{panel.outcome.text()} {panel.speeds.text()}"
    a_round = figures.number(stats.generated_tokens / stats.rounds)
    assert f"{a_round} tokens a round instead of 1" in f"{panel.outcome.text()} {panel.speeds.text()}"
    assert figures.speed(stats.decode_tps) in panel.outcome.text() + panel.speeds.text()
    assert figures.seconds(stats.ttft_s) in panel.details.words.text()
    reached, accepted = stats.accept_by_position[0]
    assert f"({accepted} of {reached})" in panel.details.positions.words()[0]
    assert panel.details.time.words().startswith(f"draft {figures.percent(stats.draft_s / seconds)}")
    assert panel.strip.visible_rounds() == answer.rounds[-panel.strip.columns :]


@pytest.fixture
def offering_window(qapp: Application, qtbot: QtBot, tmp_path: Path) -> WindowDriver:
    """Return a window on a real engine with the starter pair, which offers models to download."""
    session = Session(Engine, starter_pair())
    window = MainWindow(session, qapp, ShownLibrary(tmp_path, bare()))
    window.show()
    session.models.load_starter()
    qtbot.waitUntil(lambda: session.answers.ready and not session.models.pair.loading)
    return WindowDriver(window, session, qtbot.waitUntil)


@pytest.mark.full
@pytest.mark.parametrize("language", CONTENT_LANGUAGES)
def test_what_newcomers_type_is_answered(offering_window: WindowDriver, language: str) -> None:
    window = offering_window
    asked = [one for one in read_typed() if one.language == language and not one.before and not one.is_offtopic]
    unanswered = []
    for question in asked:
        window.trigger("new-chat")
        window.ask_and_wait(question.text)
        if not question.is_answered_by(window.answer().text):
            unanswered.append((question.text, window.answer().text))
        assert window.turn().view.findChild(StarterLine).isVisible()
    assert len(asked) >= 5
    assert unanswered == []


@pytest.mark.parametrize(
    ("models", "named", "acceptance", "said"),
    [
        pytest.param(
            "Which models are here?",
            "On this Mac: Starter.",
            "What was my acceptance today?",
            "Today, {} of the draft tokens were accepted.",
            marks=pytest.mark.full,
        ),
        (
            "여기에 어떤 모델이 있어요?",
            "이 Mac에 있는 모델: Starter.",
            "오늘 채택률이 얼마예요?",
            "오늘은 초안 토큰의 {}가 채택됐어요.",
        ),
    ],
    ids=["en", "ko"],
)
def test_the_starter_asks_tandem_and_answers_from_what_it_says(
    window: WindowDriver, models: str, named: str, acceptance: str, said: str
) -> None:
    window.ask_and_wait(models)
    assert window.turn(0).text == named
    window.ask_and_wait(acceptance)
    first, second = window.session.chat.turns
    # The tool counts what was drafted until it was called.
    until = [*(answer.stats for answer in first.answers), second.steps[0].answer.stats]
    rate = sum(one.accepted for one in until) / sum(one.drafted for one in until)
    assert window.turn(1).text == said.format(f"{rate:.0%}")
    cards = [card.head.text() for card in window.window.findChildren(CallCard) if card.isVisible()]
    assert sorted(cards) == ["Models on this Mac", "Today's acceptance rate"]


def over_the_api(window: WindowDriver, body: dict[str, Any]) -> str:
    """Return the reply of the window's server to a chat completion."""
    api = window.session.api
    if api.status is None:
        api.configure(ApiChoice(serve=True, port=free_port()))
        window.wait(lambda: api.status is not None)
    assert api.status is not None
    address = urlsplit(api.status.address).netloc

    def ask() -> str:
        connection = HTTPConnection(address, timeout=PATIENCE_S)
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        with closing(connection), connection.getresponse() as response:
            text: str = json.load(response)["choices"][0]["message"]["content"]
            return text

    # Off the Qt thread, which has to handle changes of the models meanwhile.
    asking = Background("client", parent=window.session).run(ask)
    window.wait(asking.done)
    return asking.result()


def test_a_program_gets_the_text_that_stands_in_the_window_greedy_and_by_seed(window: WindowDriver) -> None:
    # The window answers a question about Tandem with the help, and a program gets what the model says.
    question = "Why is the sky blue?"
    greedy: dict[str, float] = {"temperature": 0.0, "max_tokens": 24}
    by_seed: dict[str, float] = {"temperature": 2.0, "seed": 17, "max_tokens": 24}
    texts = []
    for chosen in (greedy, by_seed):
        window.trigger("new-chat")
        # The program asks without tools, so the window does, too.
        window.session.tools.set_on(window.session.chat, False)
        window.trigger("chat-settings")
        for key, value in chosen.items():
            enter_number(window.chat_settings.rows[key].control, value)
        window.chat_settings.close_overlay()
        window.type(question)
        window.send()
        window.wait_until_answered()
        texts.append(window.answer().text)
        asked = {"messages": [{"role": "user", "content": question}], **chosen}
        assert over_the_api(window, asked) == texts[-1]
    # The texts are long enough to differ.
    assert min(map(len, texts)) > 30
    assert texts[0] != texts[1]


def test_compare_finds_the_same_text_and_two_speeds(window: WindowDriver) -> None:
    window.ask("What is a draft model?")
    session = window.session
    window.wait(lambda: session.chat.turns[-1].answer.ended and session.answers.is_idle)
    window.trigger("compare")
    made = window.find(Comparer).comparison
    window.wait(lambda: not made.running)
    assert made.step is ComparisonStep.DONE, made.error
    assert made.verdict() is ComparisonResult.SAME
    assert made.speculated.text == made.plain.text == session.chat.turns[-1].answer.text
    assert made.speculated.stats.drafted > 0
    assert made.plain.stats.drafted == 0
    assert made.speculated.stats.decode_tps


@pytest.mark.full
def test_a_folder_that_is_no_model_is_told_and_the_pair_stays_until_its_draft_is_taken_away(
    window: WindowDriver, tmp_path: Path
) -> None:
    models = window.session.models
    models.load(str(tmp_path), None)
    window.wait(lambda: not models.pair.loading)
    assert "contains no model" in window.banner_text
    window.ask_and_wait("Hello")
    assert window.answer().text
    assert models.pair.draft is not None
    models.set_draft(None)
    window.wait(lambda: not models.pair.loading)
    assert "no draft model" in window.header.draft.toolTip()
    assert window.session.answers.ready


@pytest.mark.full
def test_the_self_test_reports_and_takes_pictures(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", "--self-test", "--screenshot", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    assert report["ok"] is True
    assert report["text"]
    assert report["stats"]["drafted"] > 0
    assert {"mlx", "PySide6-Essentials"} <= set(report["versions"])
    assert {file.name for file in tmp_path.iterdir()} >= {"answer.png", "answer-dark.png"}


@pytest.mark.parametrize("problem", [None, ModelNotUsable("starter/main", "missing")])
def test_the_self_test_reports_what_a_scripted_engine_does(
    problem: ModelNotUsable | None,
    qapp: Application,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    loads: list[EngineError | LoadedPair] = [problem] if problem is not None else []
    monkeypatch.setattr(startup, "Engine", lambda: ScriptedEngine([Script(STORY)], loads=loads))
    monkeypatch.setattr(startup, "starter_pair", lambda: STARTER)
    monkeypatch.setattr(self_test, "Application", lambda *_: qapp)
    monkeypatch.setattr(self_test, "try_parts", lambda *_: {"Qt": "", "MLX": "not there"})
    assert self_test.run(str(tmp_path)) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    assert {"mlx", "PySide6-Essentials"} <= set(report["versions"])
    if problem is not None:
        assert (report["text"], report["stats"], report["problem"]) == ("", None, error_sentence(problem))
    else:
        assert (report["text"], report["problem"]) == (STORY, "MLX: not there")
        assert report["stats"]["drafted"] > 0
        answers = {"answer", "answer-dark", *(f"answer-{language}" for language in LANGUAGES)}
        assert {file.stem for file in tmp_path.iterdir()} == {"loading", "welcome", *answers}
