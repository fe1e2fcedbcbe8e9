"""Callers of the local API apart by their address, and with heads: none is told of what another one has asked.

As in `test_callers`, two servers hear the same calls, but for the words of one caller.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from engine import starter_pair
from engine.speculation.proposers.head import HeadProposer
from engine.speculation.rounds.proposal import Proposal
from tests.app.api.serving import Served
from tests.campaigns.callers import (
    ATTACKED,
    DRAFTED,
    LM_STUDIO,
    NAMES,
    ROUNDS,
    Attacked,
    confide,
    guesses,
    leaves,
    said,
    serving,
    told,
    turn,
)
from tests.engine.speculation.families import stored_for
from tests.engine.speculation.family_configs import FAMILIES
from tests.patience import PATIENCE_S
from tests.tiny_assistant import write_assistant
from tests.tiny_eagle import write_eagle_head
from tests.tiny_heads import write_head
from tests.tiny_models import write_model
from tests.tiny_mtp import write_mtp_head

pytestmark = pytest.mark.campaign
CHAT, COUNTING = "/v1/chat/completions", "/v1/messages/count_tokens"
HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
WRITERS: dict[str, Callable[[Path, Path], Path]] = {
    "dflash": write_head,
    "eagle": write_eagle_head,
    "mtp": write_mtp_head,
    "assistant": write_assistant,
}
# It has nothing between system message and question.
BARE_TEMPLATE = "{% for m in messages %}{{ m['content'] }}<|im_end|>{% endfor %}"
# Kinds of heads with families of main models. Caches of hybrids only go back to checkpoints.
HEADS = (
    ("dflash", "starter"), ("eagle", "starter"), ("mtp", "qwen3"), ("mtp", "step3p5"), ("mtp", "mimo_v2_flash"),
    ("mtp", "qwen3_next"), ("eagle", "qwen3_next"), ("assistant", "gemma4"),
)  # fmt: skip


def with_head(kind: str, family: str) -> Callable[[Path], Sequence[Path]]:
    """Return what writes a main model with a head of random weights, whose draft tokens depend on all that it read."""

    def write(folder: Path) -> Sequence[Path]:
        main = starter_pair()[0]
        if family != "starter":
            config = {"model_type": family, **FAMILIES[family], "max_position_embeddings": 2048}
            main = write_model(folder / "main", seed=1, config=config, stored=stored_for(family))
            (main / "chat_template.jinja").write_text(BARE_TEMPLATE)
        return main, WRITERS[kind](folder / "head", main)

    return write


@pytest.mark.expects_log
@pytest.mark.parametrize(("kind", "family"), HEADS)
def test_a_head_drafts_the_same_for_a_caller_whatever_another_one_has_asked(
    kind: str, family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafted = list[list[int]]()

    def propose(self: HeadProposer, depth: int) -> Proposal:
        proposal = proposed(self, depth)
        drafted.append(proposal.tokens.tolist())  # type: ignore[union-attr, arg-type]
        return proposal

    proposed = HeadProposer.propose
    monkeypatch.setattr(HeadProposer, "propose", propose)
    attacked, heard = Attacked(with_head(kind, family), DRAFTED), list[list[Any]]()
    for number in range(2):
        draw, found = random.Random(111), list[Any]()
        with serving(attacked, tmp_path / str(number)) as served:
            for _ in range(ROUNDS):
                asked, other = said(draw, 12), said(draw, 12)
                confide(served, attacked, (asked, other)[number])
                for guess in guesses(asked):
                    drafted.clear()
                    body = {**attacked.body(CHAT, guess), **draw.choice(NAMES), "max_tokens": 16}
                    found.append((guess, told(served.post(CHAT, body), attacked.left_out), list(drafted)))
        heard.append(found)
    different = [(here, there) for here, there in zip(*heard, strict=True) if here != there]
    print(kind, family, len(heard[0]), "answers,", sum(len(rounds) for *_, rounds in heard[0]), "drafts")
    assert all(rounds for *_, rounds in heard[0])
    assert not different, different[0]


@pytest.fixture(autouse=True)
def another_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the addresses of this computer but HERE stand for other computers, which no test may reach."""
    monkeypatch.setattr("app.api.calls.is_loopback", lambda host: host == HERE)


@contextmanager
def calling_from(served: Served, address: str) -> Iterator[None]:
    """Let the calls of a server's client come from this address."""
    before = served.client
    transport = httpx2.HTTPTransport(local_address=address)
    with httpx2.Client(base_url=served.address, timeout=PATIENCE_S, trust_env=False, transport=transport) as client:
        served.client = client
        try:
            yield
        finally:
            served.client = before


def nobody(served: Served, attacked: Attacked, words: str) -> dict[str, Any]:
    """Ask in all shapes that answer, without naming a user; return the replies.

    How much of a prompt is read, and cached for the same caller, before the call that only counts its tokens ends is a
    time.
    """
    paths = [path for path in attacked.paths if path != COUNTING]
    replies = {path: served.post(path, attacked.body(path, words)) for path in paths}
    return {path: told(reply, attacked.left_out) for path, reply in replies.items()}


@pytest.mark.parametrize("name", ["draft", "thinking", "pictures"])
@pytest.mark.parametrize("confides", ["here", "elsewhere"])
def test_no_reply_depends_on_what_was_asked_from_another_address(name: str, confides: str, tmp_path: Path) -> None:
    """Nobody names a user, so that the address alone keeps callers apart."""
    attacked = ATTACKED[name]
    places = (HERE, ELSEWHERE) if confides == "here" else (ELSEWHERE, HERE)
    draw, compared = random.Random(f"112 {name}"), 0
    with serving(attacked, tmp_path / "1") as first, serving(attacked, tmp_path / "2") as second:
        for _ in range(ROUNDS):
            asked, other = said(draw, 12), said(draw, 12)
            heard = list[list[Any]]()
            for served, words in ((first, asked), (second, other)):
                with calling_from(served, places[0]):
                    replies = {path: served.post(path, attacked.body(path, words)) for path in attacked.paths}
                answer = replies[CHAT].json()["choices"][0]["message"]["content"]
                heard.append([answer] if served is first else [heard[0][0]])
                name_of_answer = replies[LM_STUDIO].json()["response_id"]
                with calling_from(served, places[1]):
                    for guess in guesses(asked):
                        past = [*attacked.body(CHAT, guess)["messages"], {"role": "assistant", "content": heard[0][0]}]
                        follows = {**attacked.body(CHAT, "And?"), "messages": [*past, turn("And?")]}
                        heard[-1].append(told(served.post(CHAT, follows), attacked.left_out))
                        heard[-1].append(nobody(served, attacked, guess))
                    body = {**attacked.body(LM_STUDIO, "And?"), "previous_response_id": name_of_answer}
                    heard[-1].append(told(served.post(LM_STUDIO, body), attacked.left_out))
            compared += len(leaves(heard[0]))
            different = leaves(heard[0]).items() ^ leaves(heard[1]).items()
            assert not different, different
    print(name, confides, compared, "values of replies")
