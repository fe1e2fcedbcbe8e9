"""Chats of a folder begin with its files and instructions, which the engine reads once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Folder, Picture, Source, SourceFile
from app.session import project_service
from app.session.answer import Answer
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.text.file_texts import NotAttachable
from engine.pictures.reading import digest_of
from tests.app.pdf_files import pdf
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle
from tests.slow_files import slow_pdf

Ask = Callable[[], None]
HERON = "notes.md\n```\nThe code word is heron.\n```"


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script(f"Answer {number}.") for number in range(9)])


@pytest.fixture
def session(open_session: OpenSession, engine: ScriptedEngine, settle: Settle, tmp_path: Path, qtbot: QtBot) -> Session:
    """A session with the folder Novel, which has instructions and a file."""
    (tmp_path / "notes.md").write_text("The code word is heron.")
    session = open_session(engine)
    settle(session.list.change(ConversationList.create_folder, "Novel"))
    settle(session.list.change(ConversationList.set_instructions, novel(session).id, "Write in {{language}}."))
    session.projects.add(novel(session).id, [str(tmp_path / "notes.md")], lambda _refused: None)
    qtbot.waitUntil(lambda: bool(novel(session).sources))
    settle()
    return session


def novel(session: Session) -> Folder:
    return session.list.folders[0]


@pytest.fixture
def ask(session: Session, qtbot: QtBot, settle: Settle) -> Ask:
    """Asks a question in the chat on screen, and waits for the answer."""
    return lambda: settle((session.answers.ask("Who?"), qtbot.waitUntil(lambda: session.answers.is_idle)))


def systems(engine: ScriptedEngine) -> list[str]:
    """Return the system prompts of the requests of chats."""
    return [request.messages[0]["content"] for request in engine.requests if not request.shared]


def test_a_chat_begins_with_the_files_then_the_instructions_then_its_own_prompt(
    session: Session, engine: ScriptedEngine, ask: Ask, settle: Settle
) -> None:
    session.chats.new_chat(novel(session))
    session.settings.set_own(session.chat, "Be brief.", {})
    ask()
    assert systems(engine) == [f"{HERON}\n\nWrite in English.\n\nBe brief."]
    [chat] = session.list.chats
    assert chat.folder_id == novel(session).id
    # Moved out, it begins with its own prompt alone; moved in, with the folder's again.
    settle(session.list.move_to_folder(chat.id, None))
    ask()
    settle(session.list.move_to_folder(chat.id, novel(session).id))
    ask()
    assert systems(engine)[1:] == ["Be brief.", f"{HERON}\n\nWrite in English.\n\nBe brief."]


def test_a_file_that_changed_is_read_again(session: Session, engine: ScriptedEngine, ask: Ask, tmp_path: Path) -> None:
    session.chats.new_chat(novel(session))
    ask()
    before = novel(session).uid
    notes = tmp_path / "notes.md"
    notes.write_text("The code word is egret now.")
    ask()
    assert "egret" in systems(engine)[1]
    assert "heron" not in systems(engine)[1]
    assert before in engine.forgotten
    notes.unlink()
    ask()
    assert systems(engine)[2] == systems(engine)[1]
    assert novel(session).sources[0].problem == "gone"


def test_the_engine_keeps_the_files_once_under_the_folders_name(
    session: Session, engine: ScriptedEngine, ask: Ask, settle: Settle
) -> None:
    for _ in range(2):
        session.chats.new_chat(novel(session))
        ask()
    kept = [request for request in engine.requests if request.shared]
    [request] = kept
    assert (request.conversation, request.max_tokens) == (novel(session).uid, 1)
    assert [message["content"] for message in request.messages] == [f"{HERON}\n\nWrite in English.", "."]
    # It outlives the chats, and goes with the folder.
    for chat in session.list.chats:
        settle(session.chats.purge(chat.id))
    assert novel(session).uid not in engine.forgotten
    settle(session.list.change(ConversationList.delete_folder, novel(session).id))
    assert request.conversation in engine.forgotten


@pytest.fixture
def heron(session: Session, engine: ScriptedEngine, tmp_path: Path, qtbot: QtBot, settle: Settle) -> Path:
    """A picture among the files of the folder Novel, for a model that sees."""
    engine.pictures = RULES
    session.models.load_starter()
    (tmp_path / "heron.png").write_bytes(picture())
    session.projects.add(novel(session).id, [str(tmp_path / "heron.png")], lambda _refused: None)
    qtbot.waitUntil(lambda: len(novel(session).sources) == 2)
    settle()
    return tmp_path / "heron.png"


def test_a_chat_begins_with_the_pictures_of_its_folder(
    session: Session, engine: ScriptedEngine, ask: Ask, heron: Path
) -> None:
    red, blue = picture(), picture("blue")
    session.chats.new_chat(novel(session))
    ask()
    ask()
    shown, words = {"type": "image", "digest": digest_of(red)}, {"type": "text", "text": "Who?"}
    first, second = [request for request in engine.requests if not request.shared]
    assert first.messages[0]["content"] == f"{HERON}\n\nWrite in English."
    assert [message["content"] for message in first.messages[1:]] == [[shown, words]]
    assert [message["content"] for message in second.messages[1:]] == [[shown, words], "Answer 0.", "Who?"]
    assert first.pictures == second.pictures == {digest_of(red): red}
    # The engine keeps them with the texts for the next chat.
    [kept] = [request for request in engine.requests if request.shared]
    assert kept.messages[1]["content"][0] == shown
    assert kept.pictures == first.pictures
    before = novel(session).uid
    heron.write_bytes(blue)
    ask()
    assert [one for one in engine.requests if not one.shared][-1].pictures == {digest_of(blue): blue}
    assert before in engine.forgotten


def test_pictures_move_on_from_a_question_that_got_no_answer() -> None:
    heron = SourceFile("heron.png", picture=Picture("7" * 64, 3, 2))
    chat = Chat(turns=[Turn("Unanswered?", Answer()), Turn("Who?", Answer())])
    asked = chat.messages(chat.turns[1], pictures={"7" * 64}, files=[heron])
    assert [message["content"] for message in asked] == [
        [{"type": "image", "digest": "7" * 64}, {"type": "text", "text": "Who?"}]
    ]
    # One that was lost is left out.
    assert chat.messages(chat.turns[1], files=[heron]) == [{"role": "user", "content": "Who?"}]


def test_a_model_that_cannot_see_gets_the_texts_alone(
    session: Session, engine: ScriptedEngine, ask: Ask, heron: Path, settle: Settle
) -> None:
    engine.pictures = None
    settle(session.models.load_starter())
    session.chats.new_chat(novel(session))
    ask()
    [request] = [one for one in engine.requests if not one.shared]
    assert [message["content"] for message in request.messages] == [f"{HERON}\n\nWrite in English.", "Who?"]
    assert request.pictures == {}
    assert heron.name == novel(session).sources[1].files[0].name


def add_slow_file(session: Session, folder: Path, qtbot: QtBot, settle: Settle) -> Path:
    """Let the files of the folder Novel include one that cannot be read in time any more, and return it."""
    report = folder / "report.pdf"
    pdf("The code word is egret.").write(report)
    session.projects.add(novel(session).id, [str(report)], lambda _refused: None)
    qtbot.waitUntil(lambda: len(novel(session).sources) == 2)
    settle()
    report.write_bytes(slow_pdf(3000, 2000))
    return report


def test_a_question_says_which_file_it_waits_for_and_goes_on_without_it(
    session: Session,
    engine: ScriptedEngine,
    ask: Ask,
    tmp_path: Path,
    qtbot: QtBot,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.documents.reading.DOCUMENT_S", 0.3)
    waited, left_out = list[str](), list[object]()
    add_slow_file(session, tmp_path, qtbot, settle)
    session.answers.arrived.connect(lambda *_: waited.append(session.chat.turns[-1].answer.waits_for))
    session.projects.left_out.connect(
        lambda found: left_out.extend((one.name, one.reason, has_text) for one, has_text in found)
    )
    session.chats.new_chat(novel(session))
    ask()
    assert "report.pdf" in waited
    assert waited[-1] == ""
    assert left_out == [("report.pdf", "too-slow", True)]
    assert "egret" in systems(engine)[0]
    assert "heron" in systems(engine)[0]
    # The next question neither waits for it nor speaks of it.
    waited.clear()
    ask()
    assert set(waited) == {""}
    assert len(left_out) == 1
    assert novel(session).sources[1].problem == "too-slow"


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("read_attachment", RuntimeError("unexpected")),
        ("read_attachment", NotAttachable("bad.txt", "unreadable")),
        ("read_again", RuntimeError("unexpected")),
    ],
)
def test_what_fails_unexpectedly_is_named_and_keeps_no_other_from_being_read(
    session: Session,
    engine: ScriptedEngine,
    ask: Ask,
    tmp_path: Path,
    qtbot: QtBot,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    error: Exception,
) -> None:
    refused, left_out = list[object](), list[tuple[str, str, bool]]()
    session.projects.left_out.connect(
        lambda found: left_out.extend((one.name, one.reason, has_text) for one, has_text in found)
    )
    bad, good = tmp_path / "bad.txt", tmp_path / "good.txt"
    for file in (bad, good):
        file.write_text("Old text.")
    session.projects.add(novel(session).id, [str(bad), str(good)], refused.append)
    qtbot.waitUntil(lambda: refused == [[]])
    settle()
    works = getattr(project_service, step)

    def fail(what: Source | Path, *more: object) -> object:
        if Path(what.path if isinstance(what, Source) else what).name == "bad.txt":
            raise error
        return works(what, *more)

    monkeypatch.setattr(project_service, step, fail)
    for file in (bad, good):
        file.write_text("New text.")
    session.chats.new_chat(novel(session))
    ask()
    assert left_out == [("bad.txt", "unreadable", True)]
    assert systems(engine)[0].count("New text.") == systems(engine)[0].count("Old text.") == 1
    session.projects.add(novel(session).id, [str(bad)], lambda found: refused.extend(found))
    qtbot.waitUntil(lambda: len(refused) > 1)
    assert isinstance(refused[1], NotAttachable)
    assert (refused[1].name, refused[1].reason) == ("bad.txt", "unreadable")
    # Its permissions may be mended without a change of the file.
    monkeypatch.setattr(project_service, step, works)
    ask()
    assert systems(engine)[-1].count("New text.") == 2


def test_a_question_that_is_stopped_gives_its_files_up(
    session: Session, engine: ScriptedEngine, tmp_path: Path, qtbot: QtBot, settle: Settle
) -> None:
    add_slow_file(session, tmp_path, qtbot, settle)
    sources = novel(session).sources
    session.chats.new_chat(novel(session))
    session.answers.ask("Who?")
    qtbot.waitUntil(lambda: bool(session.chat.turns[-1].answer.waits_for))
    session.answers.stop()
    # Whether its sandbox had begun to read by then, and so is ended, depends on the moment.
    qtbot.waitUntil(lambda: session.answers.is_idle)
    settle()
    assert novel(session).sources == sources
    assert engine.requests == []


def test_a_chat_is_deleted_while_its_question_waits_for_files_and_another_goes_on_waiting(
    session: Session, tmp_path: Path, qtbot: QtBot, settle: Settle
) -> None:
    add_slow_file(session, tmp_path, qtbot, settle)
    for _ in range(2):
        session.chats.new_chat(novel(session))
        session.answers.ask("Who?")
        qtbot.waitUntil(lambda: bool(session.chat.turns[-1].answer.waits_for))
    deleted = session.chat.id
    [left] = session.answers.chat_ids - {deleted}
    settle(session.chats.trash(deleted))
    assert session.answers.chat_ids == {left}
    assert [chat.id for chat in session.list.chats] == [left]


def test_slow_files_of_two_folders_hold_up_no_third(
    session: Session, tmp_path: Path, qtbot: QtBot, settle: Settle
) -> None:
    add_slow_file(session, tmp_path, qtbot, settle)
    for name in ("Second", "Third"):
        settle(session.list.change(ConversationList.create_folder, name))
    done = list[str]()
    second, third = (next(one for one in session.list.folders if one.name == name) for name in ("Second", "Third"))
    session.projects.add(third.id, [str(tmp_path / "notes.md")], lambda _refused: done.append("added"))
    qtbot.waitUntil(lambda: bool(done))
    settle()
    session.projects.read_again(novel(session).id, lambda: done.append("first"))
    session.projects.add(second.id, [str(tmp_path / "report.pdf")], lambda _refused: done.append("second"))
    (tmp_path / "notes.md").write_text("The code word is stork.")
    session.projects.read_again(third.id, lambda: done.append("third"))
    qtbot.waitUntil(lambda: "third" in done)
    assert done == ["added", "third"]
