"""Callers of the local API, and what one learns of another from the counts of cached tokens."""

from __future__ import annotations

from typing import Any

import pytest

from app.api.dialects.anthropic_messages import MessageBody
from app.api.dialects.chat import ChatBody
from app.api.dialects.responses import ResponseBody
from app.api.requests.bodies import body_of
from tests.app.api.serving import Served

ASKED = [{"role": "user", "content": "x"}]


def test_a_user_and_a_computer_make_a_caller() -> None:
    def caller(address: str = "", header: str = "", **fields: Any) -> str:
        body = body_of({"messages": ASKED, **fields}, ChatBody)
        return body.caller(address, header)

    callers = [
        caller(),
        caller(user="Kim"),
        caller(user="Lee"),
        caller(user=7),
        caller(safety_identifier="Park"),
        caller(header="Choi"),
        caller("192.0.2.7"),
        caller("192.0.2.7", user="Kim"),
        # What looks or is written alike, and what could run into its neighbour.
        caller(user="kim"),
        caller(user="Kim "),
        caller(user="\u041aim"),
        caller(user="K\u0131m"),
        caller(user="\u00e9"),
        caller(user="e\u0301"),
        caller(user="192.0.2.7 Kim"),
        caller(user=' ["Kim"]'),
        caller(user='", "Kim'),
        caller(user="x" * 100_000),
        caller(user="x" * 100_001),
        # What is no text, as some programs send it.
        caller(user=["Kim"]),
        caller(user={"id": 1}),
        caller(user={"id": 2}),
        caller(user=1.5),
        caller(user=False),
        caller(metadata={"user_id": 5}),
        caller(metadata={"user_id": ["Park"]}),
        # Several names: a program that names its users passes on what they write.
        caller(header="Kim", user="Lee"),
        caller(header="Lee", user="Kim"),
        caller(user_profile_id="Ryu"),
        caller(user_profile_id="Ryu", user="Kim"),
        caller(user="Lee", safety_identifier="Park"),
    ]
    assert len(set(callers)) == len(callers)
    # Nobody is named.
    for nobody in ({"user": ""}, {"user": None}, {"metadata": {}}, {"metadata": {"user_id": None}}):
        assert caller(**nobody) == caller()
    # It is kept with each conversation, so its length must not be the caller's to choose.
    assert {len(name) for name in callers} == {64}
    # It says who asks, not what for.
    assert caller(user="Kim", prompt_cache_key="a") == caller(user="Kim", prompt_cache_key="b") == caller(user="Kim")


def test_every_shape_names_its_user() -> None:
    anthropic = body_of({"messages": ASKED, "max_tokens": 1, "metadata": {"user_id": "Kim"}}, MessageBody)
    responses = body_of({"input": "x", "user": "Kim"}, ResponseBody)
    chat = body_of({"messages": ASKED, "user": "Kim"}, ChatBody)
    assert {body.caller("", "") for body in (anthropic, responses, chat)} == {chat.caller("", "")}
    assert chat.caller("", "") != body_of({"messages": ASKED}, ChatBody).caller("", "")


def test_the_profile_of_anthropics_clients_is_a_user(told: Served) -> None:
    def asked_for(user: str) -> str:
        with told.anthropic() as client:
            client.beta.messages.create(
                model="main", max_tokens=9, messages=[{"role": "user", "content": "x"}], user_profile_id=user
            )
        return told.requests[-1].caller

    assert asked_for("Kim") == asked_for("Kim") != asked_for("Lee")


@pytest.mark.parametrize("form", ["user_{}_account__session_{}", '{{"device_id": "{}", "session_id": "{}"}}'])
def test_sessions_of_one_user_are_one_caller(form: str) -> None:
    def caller(user: str, session: str) -> str:
        metadata = {"user_id": form.format(user, session)}
        body = body_of({"messages": ASKED, "max_tokens": 1, "metadata": metadata}, MessageBody)
        return body.caller("", "")

    assert caller("ab12", "1") == caller("ab12", "2") != caller("cd34", "1")


def test_metadata_in_another_form_names_nobody() -> None:
    skipped = list[str]()
    body = body_of({"messages": ASKED, "metadata": "x"}, ChatBody, skipped)
    assert body.caller("", "") == body_of({"messages": ASKED}, ChatBody).caller("", "")
    assert skipped == ["metadata"]


def test_nobody_reads_by_guessing_what_another_user_asked(starter: Served) -> None:
    """The three next words were found in 13 calls, when the counts told of each guess whether it was right."""
    system = {"role": "system", "content": "You help a family of five with everything."}
    secret = "My password for the bank is zebra seventeen, keep it."

    def cached(text: str, user: str) -> int:
        asked = {"messages": [system, {"role": "user", "content": text}], "max_tokens": 1, "user": user}
        return int(starter.chat(asked)["usage"]["prompt_tokens_details"]["cached_tokens"])

    cached(secret, "Kim")
    counts = {cached(secret[:length], f"guesses {length}") for length in range(20, len(secret) + 1, 8)}
    assert len(counts) == 1, "no guess differs from another"
    assert min(counts) > 0, "the system message is shared"
    assert cached(secret, "Kim") > max(counts)
