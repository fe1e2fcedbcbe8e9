"""Pictures in exports, and in the exports of other apps."""

from __future__ import annotations

import base64
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.conversations.database.records import Attachment, Message, Picture
from app.conversations.exports.labels import Labels
from app.conversations.exports.writing import HTML, MARKDOWN, write_json, write_text
from app.conversations.imports.imported import ImportReport
from app.conversations.imports.reading import import_file
from app.conversations.opening import open_store
from app.conversations.store import ConversationStore
from engine.pictures.reading import digest_of
from tests.app.conversations.foreign_exports import GROK, node
from tests.app.picture_files import animation, picture

RED = picture()
URL = f"data:image/png;base64,{base64.b64encode(RED).decode()}"
SHOT = Attachment('a "shot" [1].png', "image/png", "", Picture(digest_of(RED), 560, 280))


@pytest.fixture
def chat(store: ConversationStore) -> int:
    store.pictures.add(RED)
    chat = store.conversations.create(title="Reds")
    store.messages.add_user_turn(chat, "What is this?", [SHOT])
    return chat


def of(store: ConversationStore) -> Any:
    return lambda operation: operation(store)


def shown(store: ConversationStore, chat: int) -> list[bytes | None]:
    """The pictures of a chat's messages, in order."""
    found: list[Message] = store.messages.path(chat)
    pictures = [one.picture for message in found for one in message.attachments if one.picture]
    assert all((picture.width, picture.height) == (560, 280) for picture in pictures)
    return [store.pictures.get(picture.digest) for picture in pictures]


def test_json_brings_pictures_back_into_another_store(store: ConversationStore, chat: int, tmp_path: Path) -> None:
    store.messages.edit(store.messages.path(chat)[0].id, "And this?")
    write_json(of(store), [chat], tmp_path / "chats.json")
    other, _damaged = open_store(tmp_path / "other" / "chats.db")
    report = import_file(of(other), tmp_path / "chats.json")
    assert report.left_out == {}
    assert other.messages.all(report.added[0])[0].attachments == (SHOT,)
    assert shown(other, report.added[0]) == [RED]
    other.conversations.purge(report.added[0])
    assert list(other.pictures.folder.iterdir()) == []
    other.close()


def test_a_page_has_the_picture_inside_and_markdown_beside_it(
    store: ConversationStore, chat: int, tmp_path: Path
) -> None:
    write_text(of(store), chat, tmp_path / "a chat.html", HTML, Labels())
    page = (tmp_path / "a chat.html").read_text()
    assert f'<img alt="a &quot;shot&quot; [1].png" src="{URL}">' in page
    write_text(of(store), chat, tmp_path / "a chat.md", MARKDOWN, Labels())
    [file] = (tmp_path / "a chat").iterdir()
    assert file.read_bytes() == RED
    assert f'![a "shot" 1.png](a%20chat/{file.name})' in (tmp_path / "a chat.md").read_text()


def test_a_lost_picture_leaves_its_name(store: ConversationStore, chat: int, tmp_path: Path) -> None:
    (store.pictures.folder / digest_of(RED)).unlink()
    for form in (HTML, MARKDOWN):
        write_text(of(store), chat, tmp_path / f"chat.{form}", form, Labels())
        text = (tmp_path / f"chat.{form}").read_text()
        assert "shot" in text
        assert "<img" not in text
        assert "![" not in text


def asked(*parts: dict[str, Any], **metadata: Any) -> list[dict[str, Any]]:
    """A chat of ChatGPT."""
    content = {"content_type": "multimodal_text", "parts": [*parts, "what is this?"]}
    mapping = {"u": node("u", None, "user", content=content, metadata=metadata)}
    return [{"conversation_id": "c", "title": "Red", "current_node": "u", "mapping": mapping}]


def test_chatgpts_pictures_are_in_its_zip_file(store: ConversationStore, tmp_path: Path) -> None:
    pointers = [{"asset_pointer": f"file-service://file-{name}"} for name in ("A1", "B2", "C3")]
    named = [{"id": "file-A1", "name": "red.png"}]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(asked(*pointers, attachments=named)))
        archive.writestr("file-A1-red.png", RED)
        archive.writestr("file-B2-moving.gif", animation())
    report = import_file(of(store), tmp_path / "export.zip")
    assert shown(store, report.added[0]) == [RED]
    [message] = store.messages.path(report.added[0])
    assert (message.content, message.attachments[0].name) == ("what is this?", "red.png")
    assert report.left_out["file"] >= 2


def test_groks_pictures_are_in_folders_of_its_zip_file(store: ConversationStore, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "grok.zip", "w") as archive:
        archive.writestr("ttl/prod-grok-backend.json", json.dumps(GROK))
        archive.writestr("ttl/prod-mc-billing.json", "{}")
        archive.writestr("ttl/prod-mc-asset-server/lost-1/content", RED)
    report = import_file(of(store), tmp_path / "grok.zip")
    assert (report.skipped, report.left_out) == ((), {})
    assert shown(store, report.added[0]) == [RED]


def test_lm_studios_pictures_are_in_a_folder_beside_its_chats(store: ConversationStore, tmp_path: Path) -> None:
    (tmp_path / "user-files").mkdir()
    (tmp_path / "user-files" / "17 - 3.png").write_bytes(RED)
    (tmp_path / "secret.png").write_bytes(RED)
    files = [{"type": "file", "fileIdentifier": name} for name in ("17 - 3.png", "../secret.png", "gone.png")]
    version = {"type": "singleStep", "role": "user", "content": [*files, {"type": "text", "text": "Hey"}]}
    chat = {"name": "Local", "createdAt": 1.7e12, "messages": [{"currentlySelected": 0, "versions": [version]}]}
    (tmp_path / "conversations" / "folder").mkdir(parents=True)
    file = tmp_path / "conversations" / "folder" / "17.conversation.json"
    file.write_text(json.dumps(chat))
    report = import_file(of(store), file)
    assert shown(store, report.added[0]) == [RED]
    assert report.left_out == {"file": 2}


def test_an_answer_in_several_messages_keeps_the_pictures_of_all(
    load: Callable[[Any], ImportReport], store: ConversationStore
) -> None:
    drawn = [{"role": "assistant", "content": text, "images": [URL.partition(",")[2]]} for text in ("One.", "Two.")]
    (chat,) = load([{"role": "user", "content": "draw"}, *drawn]).added
    answer = store.messages.path(chat)[1]
    assert (answer.content, len(answer.attachments)) == ("One.\n\nTwo.", 2)


def test_pictures_inside_other_apps_exports(load: Callable[[Any], ImportReport], store: ConversationStore) -> None:
    files = [{"type": "image", "url": URL}, {"type": "image"}]
    question = {"id": "q", "role": "user", "content": "", "files": files}
    open_webui = {"history": {"currentId": "q", "messages": {"q": question}}}
    parts = [{"type": "text", "text": "this"}, {"type": "image_url", "image_url": {"url": URL}}]
    openai = {"messages": [{"role": "user", "content": parts}]}
    ollama = {"messages": [{"role": "user", "content": "that", "images": [base64.b64encode(RED).decode()]}]}
    extended = {"id": "1", "role": "user", "content": "it", "extra": [{"name": "a.png", "base64Url": URL}]}
    llama_cpp = {"conv": {"id": "c", "name": "C"}, "messages": [extended]}
    for export, lost in ((open_webui, 1), (openai, 0), (ollama, 0), (llama_cpp, 0)):
        report = load(export)
        assert shown(store, report.added[0]) == [RED], export
        assert report.left_out.get("file", 0) == lost
        assert load(export).unchanged == report.added


def test_claudes_pictures_are_taken_where_its_file_has_them_beside_it(
    load: Callable[[Any], ImportReport], store: ConversationStore, tmp_path: Path
) -> None:
    (tmp_path / "red.png").write_bytes(RED)
    files = [{"file_name": "red.png", "file_uuid": "0-1"}, {"file_name": "gone.png"}]
    message = {"uuid": "m", "sender": "human", "text": "hi", "files": files}
    report = load([{"uuid": "c", "name": "Red", "chat_messages": [message]}])
    assert shown(store, report.added[0]) == [RED]
    assert report.left_out == {"file": 1}
