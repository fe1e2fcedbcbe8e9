"""Parts of messages in other apps' exports that are no plain texts: what is read, and what is counted."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image

from app.conversations.imports.reading import import_file
from app.conversations.store import ConversationStore
from tests.app.conversations.foreign_exports import shown


def lm_studio(*steps: Any) -> dict[str, Any]:
    """A chat of LM Studio whose answer has these steps."""
    versions = [{"type": "multiStep", "role": "assistant", "steps": steps}]
    return {"name": "Sums", "createdAt": 1.7e12, "messages": [{"versions": versions, "currentlySelected": 0}]}


def block(**part: Any) -> dict[str, Any]:
    return {"type": "contentBlock", "content": [part]}


def claude(*contents: list[Any]) -> list[Any]:
    """A chat of Claude with an answer for each of the contents."""
    messages = []
    for number, content in enumerate(contents):
        messages.append({"uuid": f"q{number}", "sender": "human", "text": "next?"})
        messages.append({"uuid": f"a{number}", "sender": "assistant", "content": content})
    return [{"uuid": "c", "name": "Notes", "chat_messages": messages}]


def artifact(**call: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": "artifacts", "input": {"id": "x", **call}}


def deepseek(*messages: dict[str, Any]) -> list[Any]:
    """A chat of DeepSeek in which each message follows the one before."""
    nodes: dict[str, Any] = {"root": {"id": "root", "parent": None, "message": None}}
    for number, message in enumerate(messages):
        parent = str(number - 1) if number else "root"
        nodes[str(number)] = {"id": str(number), "parent": parent, "message": message}
    return [{"id": "c", "title": "Rain", "inserted_at": "2026-06-01T10:00:00+08:00", "mapping": nodes}]


def test_what_a_tool_returned_is_not_read_as_lm_studios_answer(store: ConversationStore, load: Any) -> None:
    request = block(type="toolCallRequest", callId=1, name="sum", parameters={})
    result = block(type="toolCallResult", toolCallId="1", content="42")
    report = load(lm_studio(request, result, block(type="text", text="It is more.")))
    assert shown(store, *report.added) == [("assistant", "It is more.")]
    assert report.left_out == {"tool": 2}


def test_an_artifact_that_claude_only_looked_at_stays_as_it_is(store: ConversationStore, load: Any) -> None:
    made = artifact(command="create", content="hello world", type="text/plain")
    changed = artifact(command="update", old_str="world", new_str="you")
    report = load(claude([made], [artifact(command="view"), changed]))
    first, second = (text for role, text in shown(store, *report.added) if role == "assistant")
    assert (first, second) == ("```\nhello world\n```", "```\nhello you\n```")
    assert report.left_out == {"tool": 1}


def test_an_encrypted_thought_of_claude_is_no_file(load: Any) -> None:
    report = load(claude([{"type": "redacted_thinking", "data": "QUJD"}, {"type": "text", "text": "Yes."}]))
    assert report.left_out == {"reasoning": 1}


def test_a_search_of_deepseek_is_counted_and_its_remark_left_out(store: ConversationStore, load: Any) -> None:
    fragments = [
        {"type": "SEARCH", "results": [{"url": "https://example.org"}]},
        {"type": "RESPONSE", "content": "No rain."},
        {"type": "TIP", "content": "This answer is generated."},
    ]
    report = load(deepseek({"fragments": [{"type": "REQUEST", "content": "rain?"}]}, {"fragments": fragments}))
    assert shown(store, *report.added) == [("user", "rain?"), ("assistant", "No rain.")]
    assert report.left_out == {"tool": 1}


def test_messages_of_deepseek_without_fragments_keep_their_roles(store: ConversationStore, load: Any) -> None:
    answer = {"role": "ASSISTANT", "content": "No rain.", "reasoning_content": "Clouds?"}
    report = load(deepseek({"role": "USER", "content": "rain?"}, answer))
    assert shown(store, *report.added) == [
        ("user", "rain?"),
        ("assistant", "<think>\nClouds?\n</think>\n\nNo rain."),
    ]


def page_entry(**more: Any) -> dict[str, Any]:
    """A question and its answer as Perplexity's page gets them."""
    searched = {"search_web_content": {"queries": [{"query": "tides"}]}}
    return {
        "uuid": "e1",
        "context_uuid": "t1",
        "thread_title": "Tides",
        "query_str": "why?",
        "display_model": "turbo",
        "updated_datetime": "2026-06-01T02:00:00Z",
        "attachments": ["https://example.org/a.pdf"],
        "blocks": [
            {"intended_usage": "plan", "plan_block": {"steps": [{"step_type": "INITIAL_QUERY"}, searched]}},
            {"intended_usage": "ask_text", "markdown_block": {"answer": "The moon.", "chunks": ["The ", "moon."]}},
            {"intended_usage": "ask_text_0_markdown", "markdown_block": {"answer": "The moon."}},
        ],
        **more,
    }


def test_a_thread_as_perplexitys_page_gets_it_comes_in(store: ConversationStore, load: Any) -> None:
    pieces = {"markdown_block": {"chunks": ["And the ", "sun."]}}
    report = load({"status": "success", "entries": [page_entry(), page_entry(uuid="e2", blocks=[pieces, pieces])]})
    (chat,) = report.added
    assert shown(store, chat) == [
        ("user", "why?"),
        ("assistant", "The moon."),
        ("user", "why?"),
        ("assistant", "And the sun."),
    ]
    assert report.left_out == {"file": 2, "tool": 1}
    assert store.conversations.get(chat).title == "Tides"
    answer = store.messages.path(chat)[1]
    assert (answer.source.main_model, answer.created_at) == ("turbo", 1780279200.0)


def test_a_thread_of_perplexity_that_grew_is_extended(load: Any) -> None:
    (chat,) = load({"entries": [page_entry()]}).added
    later = page_entry(updated_datetime="2026-06-01T03:00:00Z")
    assert load({"entries": [later, page_entry(uuid="e2", query_str="and?")]}).extended == (chat,)


def test_a_thread_of_perplexity_with_metadata_comes_in(store: ConversationStore, load: Any) -> None:
    about = {"thread_id": "t1", "thread_title": "Tides", "thread_created_at": "2026-06-01T02:00:00Z"}
    turn = {"uuid": "e1", "query": "why?", "answer": "The moon.", "timestamp": "2026-06-01T02:00:00Z"}
    (chat,) = load({"metadata": about, "conversations": [turn]}).added
    assert shown(store, chat) == [("user", "why?"), ("assistant", "The moon.")]
    conversation = store.conversations.get(chat)
    assert (conversation.title, conversation.created_at) == ("Tides", 1780279200.0)


def chatgpt(*messages: dict[str, Any]) -> list[Any]:
    """A chat of ChatGPT in which each message follows the one before."""
    mapping = {}
    for number, message in enumerate(messages):
        parent = str(number - 1) if number else None
        mapping[str(number)] = {"id": str(number), "parent": parent, "message": message}
    return [{"id": "c", "title": "Sky", "mapping": mapping, "current_node": str(len(messages) - 1)}]


def by(role: str, *parts: Any, **metadata: Any) -> dict[str, Any]:
    return {"author": {"role": role}, "content": {"content_type": "text", "parts": parts}, "metadata": metadata}


def test_a_file_that_is_attached_in_chatgpt_is_counted(store: ConversationStore, load: Any) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    attachments = [{"id": "file_1", "name": "a.png"}, {"id": "file_2", "name": "b.pdf"}]
    report = load(chatgpt(by("user", picture, "what?", attachments=attachments), by("assistant", "A cat.")))
    assert shown(store, *report.added) == [("user", "what?"), ("assistant", "A cat.")]
    assert report.left_out == {"file": 2}


def test_all_marks_of_chatgpts_citations_become_words(store: ConversationStore, load: Any) -> None:
    text = 'It is blue【6†L12】 in \ue200entity\ue202["city","Paris","capital"]\ue201【9†x】.'
    reference = {"matched_text": "【6†L12】", "alt": "([site](https://example.org))"}
    report = load(chatgpt(by("user", "sky?"), by("assistant", text, content_references=[reference])))
    assert shown(store, *report.added)[1] == (
        "assistant",
        "It is blue([site](https://example.org)) in Paris【9†x】.",
    )


def le_chat(*chunks: Any, **more: Any) -> list[Any]:
    """A chat of Le Chat with an answer that has these chunks."""
    asked = {"id": "q", "chatId": "c", "role": "user", "content": "tea?", "createdAt": "2026-05-01T10:00:00Z"}
    answer = {"id": "a", "chatId": "c", "role": "assistant", "content": "", "createdAt": "2026-05-01T10:01:00Z"}
    return [asked, {**answer, "contentChunks": chunks, **more}]


def test_all_chunks_of_le_chat_are_read_or_counted(store: ConversationStore, load: Any) -> None:
    chunks = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "tool_call", "name": "web_search"},
        {"type": "text", "text": "Green tea, "},
        {"type": "reference", "referenceIds": [1]},
        {"type": "text", "text": "or black."},
        {"type": "file_reference", "fileReference": "tea.docx"},
    ]
    report = load(le_chat(*chunks, canvas=[{"type": "text/markdown", "title": "Teas", "content": "# Teas"}]))
    answer = "<think>\nHm.\n</think>\n\nGreen tea, or black.\n\n**Teas**\n\n```\n# Teas\n```"
    assert shown(store, *report.added)[1] == ("assistant", answer)
    assert report.left_out == {"tool": 1, "file": 1}


def test_a_call_of_le_chat_beside_a_whole_text_is_counted(store: ConversationStore, load: Any) -> None:
    chunks = [{"type": "tool_call", "name": "web_search"}, {"type": "text", "text": "Green."}]
    report = load(le_chat(*chunks, content="Green."))
    assert shown(store, *report.added)[1] == ("assistant", "Green.")
    assert report.left_out == {"tool": 1}


def test_what_a_model_refused_is_its_answer(store: ConversationStore, load: Any) -> None:
    refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]}
    assert shown(store, *load([{"role": "user", "content": "do it"}, refused]).added)[1] == ("assistant", "I cannot.")


def test_citations_of_grok_become_links_and_its_pictures_are_counted(store: ConversationStore, load: Any) -> None:
    mark = '<grok:render card_id="{}" type="render_inline_citation"><argument name="id">0</argument></grok:render>'
    answer = {
        "_id": "a",
        "sender": "assistant",
        "message": f"Wide{mark.format('c1')}, long{mark.format('c2')}.",
        "card_attachments_json": [json.dumps({"id": "c1", "url": "https://example.org/a"}), "{"],
        "generated_image_urls": ["https://example.org/a.png"],
    }
    report = load({"conversations": [{"conversation": {"id": "c"}, "responses": [{"response": answer}]}]})
    text = "Wide ([example.org](https://example.org/a)), long."
    assert shown(store, *report.added) == [("assistant", text)]
    assert report.left_out == {"file": 1}


def test_a_picture_beside_geminis_history_comes_in(store: ConversationStore, tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.new("RGB", (4, 2)).save(file, "PNG")
    (tmp_path / "image-1.png").write_bytes(file.getvalue())
    about = {"header": "Gemini Apps", "products": ["Gemini Apps"], "time": "2026-07-26T09:00:00Z"}
    asked = {**about, "title": "Prompted what?", "imageFile": "image-1.png", "attachedFiles": ["a.pdf"]}
    history = tmp_path / "MyActivity.json"
    history.write_text(json.dumps([asked]))
    report = import_file(lambda operation: operation(store), history)
    (question,) = store.messages.path(*report.added)
    assert [attached.name for attached in question.attachments] == ["image-1.png"]
    assert report.left_out == {"file": 1, "empty": 1}


def test_calls_that_only_jans_metadata_has_are_counted(store: ConversationStore, tmp_path: Path) -> None:
    answer = {"id": "a", "role": "assistant", "content": [{"type": "text", "text": {"value": "4"}}]}
    line = json.dumps({**answer, "metadata": {"tool_calls": [{"tool": {"id": "1"}}, {"tool": {"id": "2"}}]}})
    (tmp_path / "messages.jsonl").write_text(line)
    assert import_file(lambda operation: operation(store), tmp_path / "messages.jsonl").left_out == {"tool": 2}
