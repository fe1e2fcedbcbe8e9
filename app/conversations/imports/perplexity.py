"""Reads Perplexity's chats, which are questions with their answers.

No form of them is documented; this follows what public converters read. The data of an account has "conversations" with
a "context_title" and "entries", each a "query" with its "answer". A thread as Perplexity's page gets it, which
extensions of browsers save, has "entries" with a "query_str" and "blocks": one has the answer in a "markdown_block",
and others have what was searched. Some extensions write it as "metadata" and "conversations", which are the questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from app.conversations.imports import fields
from app.conversations.imports.forms import ChatForm
from app.conversations.imports.imported import ChatBuilder, ChatReader, derived_uid

_TITLE = "context_title|thread_metadata.title|metadata.thread_title|entries.0.thread_title"
_IDENTITY = "metadata.thread_id|entries.0.context_uuid|entries.0.thread_url_slug"
_CREATED = "created_at|thread_metadata.created_at|metadata.thread_created_at"
_UPDATED = "updated_at|thread_metadata.updated_at|metadata.thread_updated_at"
_ASKED = "created_at|timestamp|entry_created_datetime|entry_updated_datetime|updated_datetime"
_of_account = fields.has("context_title", "entries")
_of_page = fields.has("entries.0.query_str")
_of_exporter = fields.has("metadata.thread_title|metadata.thread_id", "conversations.0.query")


def _recognises(entry: object) -> bool:
    """Return whether a value is a thread in any of the forms."""
    return _of_account(entry) or _of_page(entry) or _of_exporter(entry)


def _threads(entries: Iterable[Any]) -> Iterator[Any]:
    """Yield the threads with the names of one form."""
    for entry in entries:
        yield {
            "id": fields.text(entry, _IDENTITY),
            "title": fields.text(entry, _TITLE),
            "created_at": fields.text(entry, _CREATED),
            "updated_at": fields.text(entry, _UPDATED),
            "questions": fields.items(entry, "entries|conversations"),
        }


def _messages(thread: Any, _chat: ChatBuilder) -> Iterator[Any]:
    """Yield each question and its answer."""
    for asked in fields.items(thread, "questions"):
        when = fields.text(asked, _ASKED)
        query = fields.text(asked, "query|query_str")
        blocks = fields.items(asked, "blocks")
        uid = fields.text(asked, "uuid|backend_uuid")
        identity = [uid] if uid else [when, query]
        yield {
            "id": derived_uid(*identity, "user"),
            "role": "user",
            "content": query,
            "created_at": when,
            "files": fields.items(asked, "attachments"),
        }
        yield {
            "id": derived_uid(*identity, "assistant"),
            "role": "assistant",
            "content": fields.text(asked, "answer") or _answer_in(blocks),
            "created_at": when,
            "model": fields.text(asked, "display_model|model"),
            "files": [file for block in blocks for file in fields.items(block, "media_block.generated_media_items")],
            "calls": [step for block in blocks for step in fields.items(block, "plan_block.steps") if _searches(step)],
        }


def _answer_in(blocks: list[Any]) -> str:
    """Return the answer in the blocks of an entry; where none is marked as it, all of their texts."""
    texts = [(fields.text(block, "intended_usage"), _text_of(block)) for block in blocks]
    answers = [text for usage, text in texts if usage == "ask_text" and text]
    # The same text may be in several blocks.
    return "\n\n".join(answers or dict.fromkeys(text for _, text in texts if text))


def _text_of(block: Any) -> str:
    """Return the text of a block, which may only be in pieces."""
    pieces = (piece for piece in fields.items(block, "markdown_block.chunks") if isinstance(piece, str))
    return fields.text(block, "markdown_block.answer") or "".join(pieces)


def _searches(step: Any) -> bool:
    return bool(fields.mapping(step, "search_web_content"))


PERPLEXITY = ChatReader(
    _recognises,
    "title",
    # A question may be asked again; with another answer, it is another chat.
    ChatForm(app="perplexity", first_messages=2, messages=_messages).read,
    _threads,
)
