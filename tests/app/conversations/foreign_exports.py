"""Small exports of other apps, and one of Tandem with everything that a chat can have."""

from __future__ import annotations

import json
from typing import Any

from app.conversations.store import ConversationStore


def node(uid: str, parent: str | None, role: str = "", text: str = "", **fields: Any) -> dict[str, Any]:
    message = None
    if role:
        content = fields.pop("content", {"content_type": "text", "parts": [text]})
        message = {"id": uid, "author": {"role": role}, "content": content, "create_time": 1.7e9, **fields}
    return {"id": uid, "parent": parent, "children": [], "message": message}


CHATGPT = [
    {
        "conversation_id": "c-1",
        "title": "Postgres",
        "create_time": 1.7e9,
        "update_time": 1.7e9 + 50,
        "current_node": "a4",
        "is_archived": True,
        "mapping": {
            entry["id"]: entry
            for entry in [
                node("root", None),
                node("sys", "root", "system", ""),
                node("u1", "sys", "user", "원래 질문"),
                node("a1", "u1", "assistant", "first", metadata={"model_slug": "gpt-4o"}),
                node("u2", "sys", "user", "edited question"),
                node("a2", "u2", "assistant", "Let me look.", metadata={"model_slug": "gpt-4o"}),
                node("call", "a2", "assistant", recipient="python", content={"content_type": "code", "text": "1+1"}),
                node("tool", "call", "tool", "2"),
                node("thoughts", "tool", "assistant", content={"content_type": "thoughts", "thoughts": []}),
                node("a4", "thoughts", "assistant", "It is 2."),
                node("img", "a4", "user", content={
                    "content_type": "multimodal_text",
                    "parts": [{"content_type": "image_asset_pointer"}, "what is this?"],
                }),
            ]
        },
    }
]  # fmt: skip


CLAUDE = [
    {
        "uuid": "c-2",
        "name": "Trees",
        "created_at": "2024-05-01T10:00:00.000000Z",
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "hi", "created_at": "2024-05-01T10:00:01Z", "files": [{}]},
            {"uuid": "m2", "sender": "assistant", "text": "old", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hello"}]},
        ],
    }
]  # fmt: skip


OPEN_WEBUI = [
    {
        "id": "c-3",
        "title": "Ethics",
        "created_at": 1744577557,
        "updated_at": 1744577600,
        "pinned": True,
        "chat": {
            "params": {"system": "Be kind."},
            "history": {
                "currentId": "b",
                "messages": {
                    "q": {"id": "q", "parentId": None, "childrenIds": ["a", "b"], "role": "user", "content": "why?"},
                    "a": {"id": "a", "parentId": "q", "role": "assistant", "content": "because", "model": "m1"},
                    "b": {"id": "b", "parentId": "q", "role": "assistant", "content": "therefore", "model": "m2"},
                },
            },
        },
    }
]


LM_STUDIO = {
    "name": "Local",
    "createdAt": 1700000000000,
    "systemPrompt": "Short.",
    "messages": [
        {"currentlySelected": 0, "versions": [
            {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Hey"}]}]},
        {"currentlySelected": 1, "versions": [
            {"type": "multiStep", "role": "assistant", "steps": [
                {"type": "contentBlock", "content": [{"type": "text", "text": "Yes."}]}]},
            {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen"}, "steps": [
                {"type": "contentBlock", "style": {"type": "thinking"}, "content": [{"type": "text", "text": "hm"}]},
                {"type": "contentBlock", "content": [{"type": "text", "text": "Here."}]},
                {"type": "debugInfoBlock"}]}]},
        {"currentlySelected": 0, "versions": [
            {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Good"}]}]},
    ],
}  # fmt: skip


OWN = {
    "format": "tandem-conversations",
    "version": 1,
    "conversations": [
        {
            "uid": "c",
            "title": "Own",
            "created_at": 1.7e9,
            "updated_at": 1.7e9,
            "selected": "a",
            "settings": {"opened_at": 1.7e9, "place": [0, 12], "own": {"temperature": 0.5}},
            "messages": [
                {"uid": "q", "parent": None, "role": "user", "content": "Why?", "created_at": 1.7e9},
                {
                    "uid": "a",
                    "parent": "q",
                    "role": "assistant",
                    "content": "So.",
                    "state": "failed",
                    "created_at": 1.7e9,
                    "error": {"code": "prompt-too-long", "arguments": {"tokens": "9", "limit": "8"}},
                    "stats": {
                        "generated_tokens": 4,
                        "decode_tps": 2.5,
                        "main": "m",
                        "plain_spans": [{"tokens": 4, "reason": "off", "arguments": [["kind", "x"]]}],
                    },
                    "tokens": [[1, "So", "draft", 0, 0, -0.5], [2, ".", "main", 1, 0, None]],
                    "rounds": [
                        [0, "main", 0, 0, 1, 1, 0.1, 0.0, 0.1, 0.0, "first-token", []],
                        [1, "draft", 2, 1, 2, 3, 0.2, 0.1, 0.1, 0.0, "", [["plain_ms", 2.0]]],
                    ],
                },
            ],
        }
    ],
}


def jan_line(uid: str, role: str, text: str, when: int) -> str:
    content = [{"type": "text", "text": {"value": text, "annotations": []}}]
    return json.dumps({"object": "thread.message", "id": uid, "role": role, "content": content, "created_at": when})


def shown(store: ConversationStore, chat: int) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in store.messages.path(chat)]
