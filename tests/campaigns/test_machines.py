"""Machines are lost in every way while they answer in the window: the chat keeps its text, says why, and goes on."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from app.conversations.chat_settings import GenerationSettings
from app.session import cluster_service
from app.session.answer import State
from app.session.cluster_service import ON
from engine import ChatRequest, Engine, SamplingSettings, SpeculationSettings
from engine.cluster.cluster import Cluster
from engine.computers.errors import ClusterError
from engine.errors import EngineError
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver
from tests.benchmarks.slow_links import SlowLinks
from tests.engine.cluster.families import rank_processes
from tests.engine.serving_requests import finished
from tests.patience import PATIENCE_S
from tests.tiny_models import FLOAT32, write_model

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]

# The reasons and machines that may be named for each fault.
FAULTS = {
    "kill rank 0": {"ended"},
    "kill rank 1": {"ended"},
    "kill keeper": {"ended"},
    "rank 0 sleeps": {"silent", "ended"},
    "rank 1 sleeps": {"silent", "ended"},
    "this Mac sleeps": {"silent", "ended"},
    "cable": {"ended"},
    "link stalls": {"silent"},
    "one way stalls": {"silent"},
}
# The second answer to a question is drawn with the next seed.
FIRST_SEED = 11
SAMPLING, TOKENS, QUESTION = SamplingSettings(temperature=1.2, seed=FIRST_SEED), 300, "the quick brown fox"
SEED = int(os.environ.get("TANDEM_SEED", "93"))


@pytest.fixture
def links() -> Iterator[SlowLinks]:
    links = SlowLinks(1e-3)
    yield links
    links.close()


def strike(fault: str, cluster: Cluster, links: SlowLinks) -> None:
    """Cause the fault."""
    ranks = rank_processes(cluster)
    match fault:
        case "kill rank 0" | "kill rank 1":
            ranks[int(fault[-1])].kill()
        case "kill keeper":
            ranks[1].parent().kill()
        case "rank 0 sleeps" | "rank 1 sleeps":
            ranks[int(fault[5])].suspend()
        case "this Mac sleeps":
            own = os.getpid()
            subprocess.run(["/bin/sh", "-c", f"kill -STOP {own}; sleep 20; kill -CONT {own}"], check=True)
        case "cable":
            links.close()
        case "link stalls":
            links.stall("there", "back")
        case "one way stalls":
            links.stall("back")


def alone(main: str, seed: int) -> str:
    """Return what the main model writes in one process."""
    with Engine() as engine:
        engine.load(main).result(PATIENCE_S)
        asked, sampling = [{"role": "user", "content": QUESTION}], replace(SAMPLING, seed=seed)
        request = ChatRequest(asked, sampling, SpeculationSettings(method="off"), max_tokens=TOKENS)
        return finished(list(engine.submit(request))).text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_chat_goes_on_after_machines_were_lost(
    fault: str, links: SlowLinks, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MLX_DISABLE_COMPILE", "1")
    monkeypatch.setenv("TANDEM_BACKEND", "gpu")
    monkeypatch.setattr("engine.cluster.client.QUIET_S", 5.0)
    main = str(write_model(tmp_path / "main", seed=1, stored=FLOAT32))
    expected, made = alone(main, FIRST_SEED), list[Cluster]()
    start = cluster_service.start_machines

    def starting(*given: object) -> Cluster:
        made.append(start(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(cluster_service, "start_machines", starting)
    window = open_window(ScriptedEngine([Script("Here I am alone.")]))
    session = window.session
    session.cluster.configure("127.0.0.1, 127.0.0.1")
    errors: list[EngineError] = []
    session.cluster.ended.connect(errors.append)
    with links.between():
        session.cluster.start(main, None)
        window.wait(lambda: session.cluster.state == ON and session.models.pair.main is not None and not session.busy)
    processes = [one for rank in rank_processes(made[0]) for one in (rank, rank.parent())]
    session.settings.set_defaults(GenerationSettings(SAMPLING, max_tokens=TOKENS))
    window.ask(QUESTION)
    window.wait(lambda: len(window.answer().text) > 5)
    time.sleep(random.Random(f"{SEED} {fault}").uniform(0.0, 0.05))
    strike(fault, made[0], links)
    begun = time.monotonic()
    window.wait_until_answered()
    took, answer = time.monotonic() - begun, window.answer()
    print(f"{fault}: {answer.state}, {len(answer.text)} of {len(expected)} signs, {took:.1f} s, {window.notices}")
    window.wait(lambda: bool(errors))
    assert isinstance(errors[0], ClusterError)
    assert errors[0].reason in FAULTS[fault]
    assert expected.startswith(answer.text)
    assert window.banner_buttons == ["Start again", "Continue on this Mac"]
    kept = answer.text
    assert not psutil.wait_procs(processes, timeout=PATIENCE_S)[1]
    goes_on(window, main, kept)


def goes_on(window: WindowDriver, main: str, kept: str) -> None:
    """The kept text stays, the answer can be had whole, and this Mac answers alone."""
    session, turn = window.session, window.session.chat.turns[-1]
    window.press_banner("Start again")
    window.wait(lambda: session.cluster.state == ON and session.models.pair.main is not None and not session.busy)
    assert window.turns == [(QUESTION, kept)]
    session.settings.set_defaults(GenerationSettings(SAMPLING, max_tokens=TOKENS))
    session.answers.continue_answer(turn)
    window.wait(lambda: window.answer().ended and len(window.answer().text) > len(kept))
    assert window.answer().text.startswith(kept)
    session.answers.ask_again(turn)
    window.wait(lambda: window.answer().ended and window.answer().state is State.LENGTH)
    assert window.answer().text == alone(main, FIRST_SEED + 1)
    window.settle()
    session.cluster.stop()
    window.wait(lambda: not session.busy and session.models.pair.main is not None)
    window.ask_and_wait("Still there?")
    assert window.shown_text() == "Here I am alone."
