"""Callers of the local API that try to tell what another one has asked: their replies do not depend on it.

Two servers hear the same calls, but for the words of one caller. Whatever the other callers are told must be the same
on both, but for names that are drawn and times; at a fixed depth that includes the number of rounds and of draft
tokens. What speeds tell is said in SECURITY.md.
"""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.ahead import drafting_ahead
from engine.ahead import link as links
from engine.ahead.messages import DraftReply, RoundOutcome
from engine.ahead.tree_drafter import TreeDrafter
from tests.campaigns.callers import (
    ATTACKED,
    LM_STUDIO,
    NAMES,
    ROUNDS,
    SYSTEM,
    WORDS,
    confide,
    guesses,
    leaves,
    overheard,
    said,
    serving,
    told,
    turn,
)
from tests.engine.ahead.runners import on_a_thread, untouched
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.campaign


@pytest.mark.parametrize("name", ATTACKED)
def test_no_reply_depends_on_what_another_caller_has_asked(name: str, tmp_path: Path) -> None:
    attacked, draw, compared = ATTACKED[name], random.Random(f"107 {name}"), Counter[str]()
    with serving(attacked, tmp_path / "1") as first, serving(attacked, tmp_path / "2") as second:
        for _ in range(ROUNDS):
            asked, other = said(draw, 12), said(draw, 12)
            confided = confide(first, attacked, asked), confide(second, attacked, other)
            answer = confided[0]["/v1/chat/completions"]["choices"][0]["message"]["content"]
            seed = draw.random()
            heard = [
                overheard(served, attacked, random.Random(seed), asked, answer, replies[LM_STUDIO]["response_id"])
                for served, replies in zip((first, second), confided, strict=True)
            ]
            for here, there in zip(*heard, strict=True):
                compared[f"{here[0]} {here[3][0]}" if isinstance(here[3][0], int) else here[0]] += 1
                different = leaves(here).items() ^ leaves(there).items()
                assert not different, here[:3]
    print(name, sum(compared.values()), dict(compared))


def test_a_runner_reads_as_much_for_a_caller_whatever_another_one_has_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has not read yet when an answer begins decides when the first draft tokens are there."""
    backlogs = list[int]()

    def take(self: TreeDrafter, outcome: RoundOutcome) -> DraftReply | None:
        reply = taken(self, outcome)
        if outcome.position == 0:
            backlogs.append(self.backlog)
        return reply

    taken = TreeDrafter.take
    monkeypatch.setattr(TreeDrafter, "take", take)
    monkeypatch.setattr(links, "in_a_process", lambda folder: on_a_thread(folder, untouched))
    monkeypatch.setattr(drafting_ahead, "HANDOVER_S", PATIENCE_S)
    attacked = ATTACKED["drafting ahead"]
    heard = list[list[tuple[str, list[int], Any]]]()
    for number in range(2):
        draw = random.Random(110)
        found = list[tuple[str, list[int], Any]]()
        with serving(attacked, tmp_path) as served:
            while served.chat(attacked.body("/v1/chat/completions", "Hi"))["usage"]["speculation"]["ahead"] != "ready":
                pass
            for _ in range(ROUNDS):
                asked, other = said(draw, 12), said(draw, 12)
                confide(served, attacked, (asked, other)[number])
                for guess in guesses(asked):
                    backlogs.clear()
                    body = {**attacked.body("/v1/chat/completions", guess), **draw.choice(NAMES), "max_tokens": 16}
                    reply = told(served.post("/v1/chat/completions", body), attacked.left_out)
                    found.append((guess, list(backlogs), reply))
        heard.append(found)
    assert any(backlog for _, backlog, _ in heard[0])
    different = [(here, there) for here, there in zip(*heard, strict=True) if here != there]
    print(len(heard[0]), "answers, tokens read", sum(sum(backlog) for _, backlog, _ in heard[0]))
    assert not different


@pytest.mark.parametrize("name", ["automatic", "thinking", "pictures", "drafting ahead"])
def test_no_reply_of_an_answer_in_the_same_batch_depends_on_the_others(name: str, tmp_path: Path) -> None:
    """The text, and what is cached; the figures of rounds depend on how long others answer."""
    attacked, draw, compared = ATTACKED[name], random.Random(108), 0
    with serving(attacked, tmp_path / "1") as first, serving(attacked, tmp_path / "2") as second:
        for _ in range(ROUNDS):
            asked, other = said(draw, 12), said(draw, 12)
            heard = list[list[Any]]()
            for served, words in ((first, asked), (second, other)):
                body = {**attacked.body("/v1/chat/completions", words), "max_tokens": 200, "user": "Kim"}
                speaking = threading.Thread(target=served.chat, args=(body,))
                speaking.start()
                found = []
                for guess in guesses(asked):
                    guessed = attacked.body("/v1/chat/completions", guess)
                    reply = served.chat({**guessed, "user": f"Lee {guess}"})
                    found.append((reply["choices"][0]["message"]["content"], reply["usage"]["prompt_tokens_details"]))
                speaking.join()
                heard.append(found)
            compared += len(heard[0])
            assert heard[0] == heard[1]
    print(name, compared, "replies in batches")


def test_no_word_of_a_call_is_in_the_events_of_its_rounds(tmp_path: Path) -> None:
    draw, lines, ended = random.Random(109), list[str](), threading.Event()
    with serving(ATTACKED["automatic"], tmp_path) as served:

        def listen() -> None:
            with served.client.stream("GET", "/v1/speculation/events") as events:
                for line in events.iter_lines():
                    lines.append(line)
                    if ended.is_set():
                        return

        listening = threading.Thread(target=listen)
        listening.start()
        for number in range(ROUNDS):
            words = said(draw, 12)
            body = {"messages": [SYSTEM, turn(f"Repeat: {words}")], "max_tokens": 40}
            reply = served.chat(body | {"user": "Kim"})
            assert reply["choices"][0]["message"]["content"]
            if number == ROUNDS - 1:
                ended.set()
                served.chat(body)
        listening.join()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    texts = {value for event in events for value in event.values() if isinstance(value, str)}
    print(len(events), "events", sorted(text for text in texts if not text.startswith("call-")))
    assert events
    assert not [text for text in texts if any(word in text.split() for word in WORDS)]
