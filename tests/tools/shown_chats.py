"""Chats that the pictures for review show."""

from __future__ import annotations

from app.conversations.database.records import AnswerSource
from app.conversations.store import ConversationStore
from engine.stats import RequestStats


def fill(store: ConversationStore) -> None:
    """Store some chats, one of them with versions and an answer that was cut short."""
    for title in ("Speculative decoding in one page", "Why guesses pay", "Packing list for Jeju", "草稿模型怎么选？"):
        chat = store.conversations.create(title=title)
        asked = store.messages.add_user_turn(chat, f"{title}: what should I know about a draft model?")
        text = "A draft model guesses what the main model will say.\n\nWhere the guess is right, it costs nothing."
        answer = store.answers.start(asked, AnswerSource())
        store.answers.finish(answer, "stop", RequestStats(), text)
    store.conversations.pin(1)
    store.conversations.move_to_folder(3, store.conversations.create_folder("Travel"))
    store.answers.finish(store.answers.regenerate(4, AnswerSource()), "stop", RequestStats(), text + "\n\nTry it.")
    asked = store.messages.add_user_turn(2, "And when the guess is wrong?")
    store.answers.append(store.answers.start(asked, AnswerSource()), "Then the main model's own token")
    store.answers.mark_interrupted()
