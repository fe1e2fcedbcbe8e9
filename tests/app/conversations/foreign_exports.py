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


# Citations as ChatGPT writes them.
CITED = "\ue200cite\ue202turn0search1\ue201"
LINKED = "\ue200url\ue202see\ue202https://e.org/2\ue201"

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
                node("hidden", "tool", "assistant", content={"content_type": "thoughts", "thoughts": []}),
                node("thoughts", "hidden", "assistant", content={"content_type": "thoughts", "thoughts": [
                    {"summary": "Adding", "content": "One and one."}, {"summary": "Checking it", "content": ""}]}),
                node("recap", "thoughts", "assistant", content={
                    "content_type": "reasoning_recap", "content": "Thought for 4 seconds"}),
                node("a4", "recap", "assistant", f"It is 2 {CITED}, {LINKED}\ue203.\ue204", metadata={
                    "content_references": [{"matched_text": CITED, "alt": "([book](https://e.org))"}]}),
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
            {"uuid": "m1", "sender": "human", "text": "hi", "created_at": "2024-05-01T10:00:01Z", "files": [{}],
                "attachments": [{"file_name": "paste.txt", "file_type": "txt", "extracted_content": "pasted text"}]},
            {"uuid": "m2", "sender": "assistant", "text": "old", "content": [
                {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hello"},
                {"type": "tool_use", "name": "artifacts", "input": {"command": "create", "id": "a", "title": "Tree",
                    "type": "application/vnd.ant.code", "language": "python", "content": "x = 1\ny = 2"}},
                {"type": "tool_result", "name": "artifacts", "content": [{"type": "text", "text": "OK"}]},
                {"type": "tool_use", "name": "web_search", "input": {"query": "trees"}}]},
            {"uuid": "m3", "sender": "human", "text": "", "attachments": [
                {"file_name": "b.md", "file_type": "md", "extracted_content": "# b"}, {"file_name": "c.pdf"}]},
            {"uuid": "m4", "sender": "assistant", "text": "old", "content": [
                {"type": "tool_use", "name": "artifacts", "input": {
                    "command": "update", "id": "a", "old_str": "x = 1", "new_str": "x = 3"}},
                {"type": "text", "text": "Changed."}]},
            {"uuid": "m5", "sender": "human", "text": "and before?"},
            {"uuid": "m6", "sender": "assistant", "text": "<antThinking>So.</antThinking>Here: <antArtifact "
                'identifier="d" type="text/html" title="Page">\n<p>Hi</p>\n</antArtifact> done.'},
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
                    "q": {
                        "id": "q",
                        "parentId": None,
                        "childrenIds": ["a", "b"],
                        "role": "user",
                        "content": "why?",
                        "files": [
                            {"type": "file", "name": "n.txt", "file": {"data": {"content": "notes"}}},
                            {"type": "image", "url": "data:"},
                        ],
                    },
                    "a": {"id": "a", "parentId": "q", "role": "assistant", "content": "because", "model": "m1"},
                    "b": {
                        "id": "b",
                        "parentId": "q",
                        "role": "assistant",
                        "model": "m2",
                        "content": '<details type="reasoning" done="true" duration="2">\n'
                        "<summary>Thought for 2 seconds</summary>\n"
                        "&gt; 1 &lt; 2\n&gt; so\n</details>\n"
                        '<details type="tool_calls" done="true" name="clock">\n<summary>Used</summary>\n</details>\n'
                        "therefore <details><summary>more</summary>text</details>",
                    },
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


LLAMA_CPP = [
    {
        "conv": {"id": "c-5", "name": "Rivers", "lastModified": 1700000009000, "currNode": "4"},
        "messages": [
            {"id": "0", "convId": "c-5", "type": "root", "role": "system", "content": "", "parent": None},
            {"id": "1", "convId": "c-5", "type": "text", "role": "system", "content": "Be brief.", "parent": "0"},
            {"id": "2", "convId": "c-5", "type": "text", "role": "user", "content": "longest?", "parent": "1",
                "timestamp": 1700000001000, "extra": [
                    {"type": "TEXT", "name": "list.txt", "content": "Nile"},
                    {"type": "IMAGE", "name": "map.png", "base64Url": "data:"}]},
            {"id": "3", "convId": "c-5", "type": "text", "role": "assistant", "content": "Amazon", "parent": "2"},
            {"id": "4", "convId": "c-5", "type": "text", "role": "assistant", "content": "Nile", "parent": "2",
                "reasoningContent": "The list says so.", "model": "qwen", "timestamp": 1700000002000},
        ],
    }
]  # fmt: skip


MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "time?"}, {"type": "image_url", "image_url": {}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "clock"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "12:00"},
    {"role": "assistant", "content": "Noon.", "reasoning_content": "It is 12."},
]


_ROOT = "00000000-0000-0000-0000-000000000000"
LIBRECHAT = {
    "conversationId": "c-1",
    "title": "Cars",
    "recursive": True,
    "options": {"model": "gpt", "promptPrefix": "Be brief."},
    "messagesTree": [
        {"messageId": "u1", "parentMessageId": _ROOT, "isCreatedByUser": True, "text": "how far?", "files": [{}],
            "createdAt": "2024-04-09T14:32:05.230Z", "children": [
                {"messageId": "a1", "parentMessageId": "u1", "isCreatedByUser": False, "text": "100 km"},
                {"messageId": "a2", "parentMessageId": "u1", "isCreatedByUser": False, "model": "qwen", "children": [],
                    "content": [{"type": "think", "think": "Far."}, {"type": "tool_call", "tool_call": {}},
                        {"type": "text", "text": {"value": "200 km"}}]}]},
    ],
}  # fmt: skip
_STATE = {"assistants": [{"prompt": "Be kind.", "topics": [
    {"id": "t-1", "name": "Rivers", "createdAt": "2025-01-02T03:04:05.000Z", "pinned": True}]}]}  # fmt: skip
CHERRY = {
    "version": 5,
    "localStorage": {"persist:cherry-studio": json.dumps({"assistants": json.dumps(_STATE)})},
    "indexedDB": {
        "topics": [
            {"id": "t-1", "messages": [
                {"id": "u1", "role": "user", "blocks": ["b1", "b2"], "createdAt": "2025-01-02T03:04:05.000Z"},
                {"id": "a1", "role": "assistant", "askId": "u1", "blocks": ["b3", "b4", "b5"],
                    "model": {"name": "qwen"}},
                {"id": "a2", "role": "assistant", "askId": "u1", "blocks": ["b6"], "modelId": "glm"},
                {"id": "u2", "role": "user", "blocks": ["b7", "gone"]}]},
            {"id": "t-0", "messages": [{"id": "o1", "role": "user", "content": "old"}, {"id": "o2", "role": "assistant",
                "content": "older", "reasoning_content": "Hm."}]},
        ],
        "message_blocks": [
            {"id": "b1", "type": "main_text", "content": "longest?"}, {"id": "b2", "type": "image"},
            {"id": "b3", "type": "thinking", "content": "Big."}, {"id": "b4", "type": "main_text", "content": "Nile"},
            {"id": "b5", "type": "tool"}, {"id": "b6", "type": "code", "language": "text", "content": "Amazon"},
            {"id": "b7", "type": "main_text", "content": "sure?"},
        ],
    },
}  # fmt: skip
ANYTHINGLLM = [
    {"id": 1, "workspace": "Work", "prompt": "one?", "response": "1", "sent_at": "2025-01-02T03:04:05.000Z",
        "attachments": [{"type": "image"}]},
    {"id": 2, "workspace": "Home", "prompt": "tea?", "response": "Yes.", "sent_at": "2025-01-02T03:04:06.000Z"},
    {"id": 3, "workspace": "Work", "prompt": "two?", "response": "2", "sent_at": "2025-01-02T03:04:07.000Z"},
]  # fmt: skip


DEEPSEEK = [
    {
        "id": "c-1",
        "title": "Sums",
        "inserted_at": "2026-06-01T10:00:00.000+08:00",
        "mapping": {
            "root": {"id": "root", "parent": None, "message": None},
            "1": {"id": "1", "parent": "root", "message": {"files": [{"file_name": "a.pdf"}], "fragments": [
                {"type": "REQUEST", "content": "2+2?"}]}},
            "2": {"id": "2", "parent": "1", "message": {"fragments": [{"type": "RESPONSE", "content": "5"}]}},
            "3": {"id": "3", "parent": "1", "message": {"model": "deepseek-reasoner", "fragments": [
                {"type": "THINK", "content": "Easy."}, {"type": "TOOL_SEARCH", "content": None},
                {"type": "RESPONSE", "content": "4"}], "inserted_at": "2026-06-01T10:01:00.000+08:00"}},
        },
    }
]  # fmt: skip
_WHEN = {"$date": {"$numberLong": "1780279200123"}}
GROK = {
    "conversations": [
        {
            "conversation": {"id": "c-1", "title": "Rivers", "create_time": "2026-06-01T02:00:00Z"},
            "responses": [
                {"response": {"_id": "u", "sender": "human", "message": "longest?", "create_time": _WHEN,
                    "file_attachments": ["lost-1"]}},
                {"response": {"_id": "a", "sender": "ASSISTANT", "message": "Nile", "parent_response_id": "u"}},
                {"response": {"_id": "b", "sender": "assistant", "message": "Amazon", "parent_response_id": "u",
                    "model": "grok-4", "thinking_trace": "Wide."}, "share_link": None},
            ],
        }
    ]
}  # fmt: skip
PERPLEXITY = {
    "conversations": [
        {
            "context_title": "Tides", "created_at": "2026-06-01T02:00:00Z", "mode": "CONCISE", "collection_uuid": None,
            "entries": [
                {"query": "why?", "answer": "The moon.", "created_at": "2026-06-01T02:00:00Z", "mode": "CONCISE"},
                {"query": "and?", "answer": "", "created_at": "2026-06-01T02:01:00Z", "query_status": "FAILED"}],
        }
    ]
}  # fmt: skip
AI_STUDIO = {
    "runSettings": {"model": "models/gemini-3-pro", "temperature": 1.0},
    "systemInstruction": {"text": "Be brief."},
    "chunkedPrompt": {"chunks": [
        {"role": "user", "driveDocument": {"id": "d"}}, {"role": "user", "text": "see?"},
        {"role": "model", "text": "Hm.", "isThought": True},
        {"role": "model", "executableCode": {"code": "1"}},
        {"role": "model", "text": "Yes.", "parts": [{"text": "Y"}, {"text": "es."}], "finishReason": "STOP"}]},
}  # fmt: skip
_RECORD = {"header": "Gemini Apps", "products": ["Gemini Apps"]}
GEMINI = [
    {**_RECORD, "title": "Prompted and 2+3?", "time": "2026-07-26T09:00:00Z", "attachedFiles": ["a.pdf"]},
    {**_RECORD, "title": "Used an Assistant feature", "time": "2026-07-26T08:30:00Z"},
    {
        **_RECORD,
        "title": "Prompted 2+2?",
        "time": "2026-07-26T08:00:00Z",
        "safeHtmlItem": [{"html": "<p><b>4</b></p>"}],
    },
    {"header": "Search", "title": "Searched for tea", "time": "2026-07-26T07:00:00Z", "products": ["Search"]},
]


def jan_line(uid: str, role: str, text: str, when: int, thoughts: str = "") -> str:
    content = [{"type": "text", "text": {"value": text, "annotations": []}}]
    if thoughts:
        content.insert(0, {"type": "reasoning", "text": {"value": thoughts, "annotations": []}})
    return json.dumps({"object": "thread.message", "id": uid, "role": role, "content": content, "created_at": when})


QWEN_CHAT = {
    "success": True,
    "request_id": "x",
    "data": [
        {
            "id": "q1",
            "title": "Pump",
            "created_at": 1788000000,
            "chat": {
                "history": {
                    "currentId": "m2",
                    "messages": {
                        "m1": {
                            "id": "m1",
                            "role": "user",
                            "content": "which?",
                            "parentId": None,
                            "childrenIds": ["m2"],
                        },
                        "m2": {
                            "id": "m2",
                            "role": "assistant",
                            "content": "",
                            "content_list": [
                                {"phase": "think", "content": "Hm."},
                                {"phase": "web_search", "content": "", "extra": {}},
                                {"phase": "answer", "content": "This."},
                            ],
                            "parentId": "m1",
                            "childrenIds": [],
                            "model": "qwen3.8-max",
                        },
                        "m3": {"id": "m3", "role": "assistant", "content": "That.", "parentId": "m1"},
                    },
                }
            },
        }
    ],
}

CHATBOX = {
    "chat-sessions-list": [{"id": "s1", "name": "Pump", "starred": True}, {"id": "s2", "name": "Gone"}],
    "session:s1": {
        "id": "s1",
        "name": "Pump",
        "type": "chat",
        "threads": [
            {"id": "t1", "name": "Before", "messages": [{"id": "b1", "role": "user", "content": "old?"}]},
        ],
        "messages": [
            {"id": "m0", "role": "system", "contentParts": [{"type": "text", "text": "Be brief."}]},
            {
                "id": "m1",
                "role": "user",
                "contentParts": [{"type": "text", "text": "which?"}, {"type": "image", "storageKey": "picture:1"}],
                "timestamp": 1788000000000,
            },
            {
                "id": "m2",
                "role": "assistant",
                "contentParts": [
                    {"type": "reasoning", "text": "Hm."},
                    {"type": "tool-call", "state": "result", "toolName": "search", "args": {}, "result": "x"},
                    {"type": "text", "text": "This."},
                ],
                "timestamp": 1788000001000,
                "model": "qwen3.8",
            },
        ],
    },
    "settings": {"theme": 1},
    "__exported_at": "2026-09-01",
}

TYPINGMIND = {
    "data": {
        "chats": [
            {
                "id": "row-1",
                "chatID": "c1",
                "chatTitle": "Pump",
                "model": "gpt-4",
                "createdAt": "2026-09-01T10:00:00.000Z",
                "messages": [
                    {"uuid": "a", "role": "user", "content": "which?", "createdAt": "2026-09-01T10:00:00.000Z"},
                    {"uuid": "b", "role": "assistant", "content": [{"type": "text", "text": "This."}]},
                    {"uuid": "c", "role": "tool", "content": "result"},
                ],
            },
            {"chatID": "c2", "preview": "no messages", "messages": []},
        ],
        "folders": [],
    },
    "checksum": "x",
}


# Chats of SillyTavern: one of 2023, which its repository had, and one with what newer versions write.
SILLY_TAVERN_2023 = [
    {"user_name": "You", "character_name": "Megumin", "create_date": 1674559900991, "chat_metadata": {
        "note_prompt": "", "note_interval": 1, "note_position": 1, "note_depth": 4}},
    {"name": "Megumin", "is_user": False, "is_name": True, "send_date": "2023-4-21 @20h 02m 47s 124ms",
        "mes": "I'm Megumin!"},
    {"name": "You", "is_user": True, "is_name": True, "send_date": "2023-4-21 @20h 03m 06s 446ms",
        "mes": "I am a mage.", "extra": {}},
    {"extra": {}, "name": "Megumin", "is_user": False, "is_name": False, "send_date": "June 19, 2023 2:20pm",
        "mes": "smiles"},
]  # fmt: skip
SILLY_TAVERN = [
    {"chat_metadata": {"integrity": "5a1b7c44", "tainted": True}, "user_name": "unused", "character_name": "unused"},
    {"name": "Vera", "is_user": False, "is_system": False, "send_date": "2026-07-01T10:00:00.000Z", "mes": "You again.",
        "extra": {}, "swipe_id": 0, "swipes": ["You again.", "The gate is closed."],
        "swipe_info": [{"send_date": "2026-07-01T10:00:00.000Z", "extra": {}}]},
    {"name": "Ned", "is_user": True, "is_system": True, "send_date": "2026-07-01T10:01:00.000Z", "mes": "Anything?",
        "extra": {"isSmallSys": False, "files": [{"url": "/user/files/list.txt", "size": 8, "name": "list.txt"}],
            "media": [{"url": "/user/images/Vera/a.png", "type": "image"}]}},
    {"name": "SillyTavern System", "is_user": False, "is_system": True, "mes": "Tool calls: Roll", "extra": {
        "isSmallSys": True, "tool_invocations": [{"id": "c", "name": "roll", "result": "4"}]}},
    {"name": "Vera", "is_user": False, "is_system": False, "send_date": "2026-07-01T10:02:00.000Z",
        "mes": "Define “unusual”.", "extra": {"api": "openai", "model": "qwen", "reasoning": "She stalls."},
        "swipe_id": 1, "swipes": ["Nothing.", "Define unusual.", ""], "swipe_info": [
            {"send_date": "2026-07-01T10:01:30.000Z", "extra": {"reasoning": "Nothing to hide.", "model": "glm"}},
            {"send_date": "2026-07-01T10:02:00.000Z", "extra": {}}, {"extra": {"image": "/user/images/Vera/b.png"}}]},
    {"name": "System", "is_user": False, "is_system": False, "mes": "The rain thickens.",
        "extra": {"type": "narrator"}},
    {"name": "SillyTavern System", "is_user": False, "is_system": True, "mes": "<h3>Hello there!</h3>"},
    {"name": "Ned", "is_user": True, "is_system": False, "send_date": "2026-07-01T10:03:00.000Z", "mes": "The crates."},
]  # fmt: skip
_GROUP_SAID = {"is_user": False, "is_system": False, "send_date": 1788000000000}
SILLY_TAVERN_GROUP = [
    {"name": "Vera", "mes": "You again.", **_GROUP_SAID}, {"name": "Maris", "mes": "Pay.", **_GROUP_SAID},
    {"name": "Ned", "mes": "Both.", **_GROUP_SAID, "is_user": True}, {"name": "Vera", "mes": "Always.", **_GROUP_SAID},
]  # fmt: skip


# LobeChat's exports: of all data, of its versions 1 and 7, and of a chat, shortened from the fixtures of its tests.
LOBE_CHAT = {
    "data": {
        "agents": [{"id": "agt_1", "title": "Analyst", "systemRole": "Be brief.", "model": "gemini"}],
        "agentsToSessions": [{"agentId": "agt_1", "sessionId": "ssn_1"}],
        "messagePlugins": [{"id": "msg_3", "toolCallId": "toolu_1", "type": "builtin"}],
        "messages": [
            {"id": "msg_1", "role": "user", "content": "How large is ABC?", "topicId": "tpc_1", "parentId": None,
                "createdAt": "2025-03-05T06:55:46.892Z"},
            {"id": "msg_4", "role": "assistant", "content": "\n\nLarge.", "topicId": "tpc_1", "parentId": "msg_3",
                "model": "claude-3-7", "reasoning": {"content": "Big.", "duration": 2},
                "createdAt": "2025-03-05T09:28:31.861Z"},
            {"id": "msg_2", "role": "assistant", "content": "I search.", "topicId": "tpc_1", "parentId": "msg_1",
                "model": "claude-3-7", "tools": [{"id": "toolu_1"}], "createdAt": "2025-03-05T09:27:43.071Z"},
            {"id": "msg_3", "role": "tool", "content": "[]", "topicId": "tpc_1", "parentId": "msg_2",
                "createdAt": "2025-03-05T09:27:49.981Z"},
            {"id": "msg_5", "role": "user", "content": "And now?", "topicId": "tpc_1", "parentId": None,
                "createdAt": "2025-03-05T09:29:41.284Z"},
            {"id": "msg_6", "role": "assistant", "content": "...", "topicId": "tpc_1", "parentId": "msg_5",
                "createdAt": "2025-03-05T09:29:42.284Z", "error": {"type": "x"}},
            {"id": "msg_7", "role": "assistant", "content": '[{"type":"text","text":"Here:"},'
                '{"type":"image","image":"https://e.org/a.png"}]', "topicId": "tpc_1", "parentId": "msg_5",
                "reasoning": {"signature": "x"}, "createdAt": "2025-03-05T09:29:43.284Z"},
            {"id": "msg_8", "role": "user", "content": "Aside?", "topicId": "tpc_1", "threadId": "thd_1",
                "createdAt": "2025-03-05T09:29:50.284Z"},
            {"id": "msg_9", "role": "user", "content": "tea?", "sessionId": "ssn_1", "topicId": None,
                "createdAt": "2025-03-05T05:25:44.528Z"},
        ],
        "sessions": [{"id": "ssn_1", "slug": "inbox", "title": None, "pinned": False}],
        "threads": [{"id": "thd_1", "topicId": "tpc_1", "type": "continuation", "sourceMessageId": "msg_4"}],
        "topics": [{"id": "tpc_1", "title": "ABC", "favorite": True, "sessionId": "ssn_1",
            "createdAt": "2025-03-05T06:55:46.808Z", "updatedAt": "2025-03-05T09:32:14.622Z"}],
    },
    "mode": "pglite",
    "schemaHash": "89e91285",
}  # fmt: skip
LOBE_CHAT_V7 = {
    "exportType": "sessions",
    "state": {
        "messages": [
            {"role": "user", "content": "who are you?", "files": [], "sessionId": "inbox", "topicId": "9py3gBEl",
                "createdAt": 1714230319444, "id": "bLnLbiJq", "extra": {}, "meta": {}},
            {"role": "assistant", "content": "Hello!", "parentId": "MZeSp8hy", "sessionId": "inbox",
                "topicId": "9py3gBEl", "createdAt": 1714230306608, "id": "RARh6JLx", "extra": {"fromModel": "llama3"}},
            {"role": "user", "content": "hello", "files": ["file-wUhrpfNq"], "sessionId": "inbox",
                "topicId": "9py3gBEl", "createdAt": 1714230284296, "id": "MZeSp8hy", "extra": {}, "meta": {}},
            {"role": "assistant", "content": "I am LLaMA.", "parentId": "bLnLbiJq", "sessionId": "inbox",
                "topicId": "9py3gBEl", "createdAt": 1714230319534, "id": "yD0tYOHp", "extra": {"fromModel": "llama3"}},
            # The first answer was asked for again, at the end.
            {"role": "assistant", "content": "Hi!", "parentId": "MZeSp8hy", "sessionId": "inbox",
                "topicId": "9py3gBEl", "createdAt": 1714230320000, "id": "again", "extra": {"fromModel": "phi"}},
            {"role": "user", "content": "more", "files": [], "sessionId": "inbox", "topicId": "9py3gBEl",
                "createdAt": 1714230330000, "id": "more", "extra": {}, "meta": {}},
        ],
        "sessionGroups": [],
        "sessions": [],
        "topics": [{"title": "Default Topic", "favorite": 0, "sessionId": "inbox", "createdAt": 1714230284503,
            "id": "9py3gBEl", "updatedAt": 1714230284503}],
    },
    "version": 7,
}  # fmt: skip
LOBE_CHAT_V1 = {
    "exportType": "sessions",
    "state": {"sessions": {"06cc3e20": {
        "chats": {
            "jZc2KKRs": {"content": "In the schema.", "createAt": 1698464173228, "id": "jZc2KKRs", "meta": {},
                "parentId": "xPft8Msa", "role": "assistant", "topicId": "CZg3IEdy", "extra": {"fromModel": "gpt-3.5"}},
            "xPft8Msa": {"content": "Where?", "createAt": 1698464173224, "id": "xPft8Msa", "meta": {}, "role": "user",
                "topicId": "CZg3IEdy"},
            "9cRjevRQ": {"content": "bbbbb", "createAt": 1700065743405, "id": "9cRjevRQ", "parentId": "3nDXtEKv",
                "role": "function", "plugin": {"apiName": "x"}},
            "hi": {"content": "hi", "createAt": 1700065743000, "id": "hi", "role": "user"},
        },
        "config": {"model": "gpt-3.5-turbo", "systemRole": "You know Postgres."},
        "createAt": 1698463356269, "id": "06cc3e20", "meta": {"title": "Postgres guide"}, "type": "agent",
        "topics": {"CZg3IEdy": {"createAt": 1698463911747, "id": "CZg3IEdy", "title": "Prisma"}}}}},
    "version": 1,
}  # fmt: skip
LOBE_CHAT_TOPIC = {
    "exportedAt": "2025-12-22T08:50:13.752Z",
    "messages": [
        {"content": "Be kind.", "createdAt": "2025-12-22T08:50:13.752Z", "id": "system-role", "role": "system"},
        {"content": "你好", "createdAt": "2025-12-22T05:28:22.890Z", "id": "msg_1", "role": "user",
            "metadata": {"activeBranchIndex": 0}},
        {"content": "A", "createdAt": "2025-12-22T05:28:22.924Z", "id": "msg_2", "model": "claude-sonnet-4-5",
            "parentId": "msg_1", "provider": "anthropic", "role": "assistant"},
        {"content": "B", "createdAt": "2025-12-22T05:28:40.645Z", "id": "msg_3", "model": "claude-sonnet-4-5",
            "parentId": "msg_1", "provider": "anthropic", "role": "assistant"},
        {"content": "你是谁？", "createdAt": "2025-12-22T08:13:22.122Z", "id": "msg_4", "parentId": "msg_3",
            "role": "user"},
    ],
    "title": "简单问候",
    "version": "2.0",
}  # fmt: skip


def shown(store: ConversationStore, chat: int) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in store.messages.path(chat)]
