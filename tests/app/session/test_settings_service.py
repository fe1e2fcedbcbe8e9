"""Defaults, the own settings of chats, and presets."""

from __future__ import annotations

from dataclasses import replace

from app.session.session import Session
from tests.app.session.conftest import OpenSession, Settle


def changes(session: Session) -> list[str]:
    """The methods that `speculation_changed` announced."""
    found: list[str] = []
    session.settings.speculation_changed.connect(lambda: found.append(session.settings.speculation.method))
    return found


def test_speculation_changes_for_the_chat_with_own_settings_else_for_all(open_session: OpenSession) -> None:
    session = open_session()
    found = changes(session)
    session.settings.set_speculation(replace(session.settings.speculation, method="off"))
    assert (found, session.settings.defaults.speculation.method, session.chat.own) == (["off"], "off", {})
    session.settings.set_own(session.chat, "", {"method": "ngram"})
    session.settings.set_speculation(replace(session.settings.speculation, method="draft"))
    assert session.chat.own == {"method": "draft"}
    assert session.settings.defaults.speculation.method == "off"


def test_showing_a_chat_with_other_settings_announces_them(open_session: OpenSession, settle: Settle) -> None:
    session = open_session()
    settle(session.answers.ask("first"))
    first = session.chat
    session.settings.set_own(first, "", {"method": "off"})
    found = changes(session)
    session.chats.new_chat()
    session.chats.open(first)
    assert found == ["auto", "off"]


def test_a_chats_own_settings_survive_the_session(open_session: OpenSession) -> None:
    session = open_session()
    session.settings.set_own(session.chat, "Be brief.", {"temperature": 0.5})
    session.settings.set_aside(session.chat)
    session.settings.set_own(session.chat, "Be kind.", {"temperature": 0.25})
    session.close()
    session = open_session()
    assert (session.chat.system_prompt, session.chat.own) == ("Be kind.", {"temperature": 0.25})
    assert session.chat.set_aside == ("Be brief.", {"temperature": 0.5})
    assert session.settings.sampling.temperature == 0.25


def test_presets_are_saved_and_deleted(open_session: OpenSession, settle: Settle) -> None:
    session = open_session()
    session.settings.set_own(session.chat, "Be brief.", {"temperature": 0.5})
    settle(session.settings.save_preset("Brief"))
    session.close()
    session = open_session()
    assert [(preset.name, preset.system_prompt) for preset in session.settings.presets] == [("Brief", "Be brief.")]
    settle(session.settings.delete_preset("Brief"))
    assert session.settings.presets == []


def test_new_chats_begin_with_what_was_chosen_for_them(open_session: OpenSession, settle: Settle) -> None:
    session = open_session()
    session.settings.begin_chats_with("Be brief.", {"temperature": 0.5})
    assert (session.chat.system_prompt, session.chat.own) == ("Be brief.", {"temperature": 0.5})
    settle(session.answers.ask("first"))
    session.chats.new_chat()
    assert (session.chat.system_prompt, session.chat.own) == ("Be brief.", {"temperature": 0.5})
    session.close()
    session = open_session()
    session.chats.new_chat()
    assert session.chat.system_prompt == session.settings.preset_of_new_chats.system_prompt == "Be brief."
