"""Search finds and marks words as a reader would, in four languages."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversations.database.records import AnswerSource, NewMessage
from app.conversations.database.search_tokens import fold, fold_with_offsets, index_text
from app.conversations.search import highlights, parse_query, snippet
from engine.stats import RequestStats
from tests.app.conversations.conftest import Clock
from tests.app.conversations.corpus import fill

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore

SENTENCES = {
    "ko": "MLX엔진에서 초안 모델이 다음 토큰을 추측해요.",
    "ja": "ドラフトモデルは草案を書き、メインモデルが検証します。",
    "zh": "草稿模型猜测后面的词,主模型一次检查。",
    "en": "The draft model guesses; Qwen3-0.6B is 380 MB. Café résumé, snake_case_name.",
}


@pytest.fixture
def messages(store: ConversationStore) -> dict[str, int]:
    chat = store.conversations.create()
    return {name: store.messages.add(chat, None, NewMessage("user", text)) for name, text in SENTENCES.items()}


def found(store: ConversationStore, query: str) -> set[int]:
    return {hit.message_id for hit in store.search.messages(query)}


@pytest.mark.parametrize(
    ("language", "query"),
    [
        (language, query)
        for language, queries in {
            "ko": "초안|초|안|모델이|델이 초|mlx|MLX엔진|mlx 엔진|요|" + unicodedata.normalize("NFD", "초안"),
            "ja": "草案|案|モデル|ﾄﾞﾗﾌﾄ|ト|検証|" + unicodedata.normalize("NFD", "ドラフト"),
            "zh": "草稿|稿|词|主模型|模型 检查|查",
            "en": "draft|DRA|g|qwen3|qwen3-0.6b|0.6b|cafe|résumé|RESUME|case|snake_case|380 draft|ＱＷＥＮ３|"
            '"draft model"',
        }.items()
        for query in queries.split("|")
    ],
)
def test_words_of_one_or_more_characters_are_found(
    store: ConversationStore, messages: dict[str, int], language: str, query: str
) -> None:
    assert messages[language] in found(store, query)


@pytest.mark.parametrize(
    "query", ["안초", "raft", "uesses", "草模", '"dra"', '"model draft"', "draft 초안", "모이", "zzz", "380mb1", "デモ"]
)
@pytest.mark.usefixtures("messages")
def test_what_is_not_there_is_not_found(store: ConversationStore, query: str) -> None:
    assert found(store, query) == set()


NAMES = ("Sort a vector in C++ quickly", "Compare cats in the city", "C# and .NET", "Vitamin C+, F#m7 and g++.", "C")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("C++", {0}),
        ("c+", {0, 3}),
        ("C#", {2}),
        ("f#", {3}),
        ("c++ vector", {0}),
        ("c# c++", set()),
        ('"in C++"', {0}),
        ('"c#"', {2}),
        ("Ｃ＃", {2}),
        ("g++", {3}),
        ("c++20", set()),
        ("c", {0, 1, 2, 3, 4}),
        ("cats?", {1}),
        ("++ # c", {0, 1, 2, 3, 4}),
    ],
)
def test_the_signs_that_end_a_name_belong_to_it(store: ConversationStore, query: str, expected: set[int]) -> None:
    chats = [store.conversations.create() for _ in NAMES]
    messages = [
        store.messages.add(chat, None, NewMessage("user", text)) for chat, text in zip(chats, NAMES, strict=True)
    ]
    for chat, text in zip(chats, NAMES, strict=True):
        store.conversations.rename(chat, text)
    assert found(store, query) == {messages[number] for number in expected}
    assert {hit.conversation_id for hit in store.search.titles(query)} == {chats[number] for number in expected}


def test_hits_with_signs_are_marked_and_as_many_as_asked_for(store: ConversationStore) -> None:
    chat = store.conversations.create()
    for text in ["C++ is old"] * 3 + ["a C sharp"] * 60:
        store.messages.add(chat, None, NewMessage("user", text))
    hits = store.search.messages("c++", limit=2)
    assert [(hit.snippet.text, hit.snippet.spans) for hit in hits] == [("C++ is old", ((0, 3),))] * 2


@pytest.mark.usefixtures("messages")
@pytest.mark.parametrize("query", ["", "   ", "...", "→", '"', '""', "* OR (", "\x00", "AND", "text:", "a*b"])
def test_no_query_is_an_error(store: ConversationStore, query: str) -> None:
    store.search.messages(query)
    store.search.titles(query)


@pytest.mark.first
def test_emoji_are_found(store: ConversationStore) -> None:
    chat = store.conversations.create()
    message = store.messages.add(chat, None, NewMessage("user", "done 🎉🚀!"))
    assert found(store, "🚀") == found(store, "🎉🚀") == {message}


TEXT = st.text(st.sampled_from("초안모델草稿案推ドﾄﾞガーaBcé e\u0301\u1112\u1161ßİ1_ .,\n🎉각가\u11a8"), max_size=30)


@settings(max_examples=60)
@given(TEXT)
def test_offsets_lead_back_to_the_characters_that_were_folded(text: str) -> None:
    folded, offsets = fold_with_offsets(text)
    assert folded == fold(text)
    if offsets is not None:
        assert len(offsets) == len(folded) + 1
        assert offsets == sorted(offsets)
        for start in sorted(set(offsets[:-1])):
            end = min(offset for offset in offsets if offset > start)
            covered = "".join(char for char, offset in zip(folded, offsets, strict=False) if offset == start)
            assert fold(text[start:end]) == covered


@settings(max_examples=60)
@given(TEXT, st.data())
def test_any_part_of_an_unspaced_text_is_found_and_marked(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    places = [match.span() for match in re.finditer("[초안모델草稿案推ドガー각가]+", folded)]
    if not places:
        return
    low, high = data.draw(st.sampled_from(places))
    start = data.draw(st.integers(low, high - 1))
    part = folded[start : data.draw(st.integers(start + 1, high))]
    query = parse_query(part)
    assert query is not None
    phrase = query.match.strip('"*')
    assert f" {phrase}" in f" {index_text(text)} "
    assert any(part in fold(text[start:end]) for start, end in highlights(text, query))


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ('dra "model" 초안', "Draft drama hydra model models 초안은", ["Dra", "dra", "model", "초안"]),
        ("cafe", "ein Cafe\u0301 ﬁn", ["Cafe\u0301"]),
    ],
)
def test_highlights_are_the_typed_part_of_words_and_whole_characters(query: str, text: str, marked: list[str]) -> None:
    parsed = parse_query(query)
    assert parsed is not None
    assert [text[start:end] for start, end in highlights(text, parsed)] == marked


def test_a_snippet_shows_the_first_hit_without_line_breaks() -> None:
    query = parse_query("needle")
    assert query is not None
    shown = snippet("hay\n" * 200 + "the needle\nhere " + "hay " * 200, query)
    assert len(shown.text) <= 162
    assert "\n" not in shown.text
    assert [shown.text[start:end] for start, end in shown.spans] == ["needle"]
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")


def test_newest_come_first_whenever_they_were_added(store: ConversationStore) -> None:
    chat = store.conversations.create()
    ids = [
        store.messages.add(chat, None, NewMessage("user", "same", created_at=when)) for when in (300.0, 100.0, 200.0)
    ]
    assert [hit.message_id for hit in store.search.messages("same")] == [ids[0], ids[2], ids[1]]


def test_the_index_follows_edits_answers_and_deletion(store: ConversationStore) -> None:
    chat = store.conversations.create()
    question = store.messages.add_user_turn(chat, "원래 질문")
    edited = store.messages.edit(question, "고친 질문")
    answer = store.answers.start(edited, AnswerSource())
    store.answers.append(answer, "첫째 조각")
    assert found(store, "조각") == set()
    store.answers.finish(answer, "stop", RequestStats(), " 둘째")
    assert found(store, "조각 둘째") == {answer}
    assert found(store, "질문") == {question, edited}
    store.conversations.trash(chat)
    assert found(store, "질문") == set()
    store.conversations.restore(chat)
    assert found(store, "질문") == {question, edited}
    store.conversations.purge(chat)
    assert found(store, "질문") == set()


def test_titles_are_found_by_their_present_words(store: ConversationStore) -> None:
    chat = store.conversations.create(title="초안 모델")
    store.conversations.rename(chat, "草稿模型 guide")
    assert store.search.titles("초안") == []
    (hit,) = store.search.titles("稿 gui")
    assert [hit.title[start:end] for start, end in hit.spans] == ["稿", "gui"]


@pytest.mark.usefixtures("messages")
def test_rebuilding_changes_nothing(store: ConversationStore) -> None:
    before = {query: found(store, query) for query in ("초안", "모", "dra", "草稿")}
    store.search.rebuild()
    assert {query: found(store, query) for query in before} == before


@settings(max_examples=10)
@given(st.sampled_from(["the", "th", "초안", "초", "草稿", "的", "の", "推測", "spec tion", "가 는"]))
def test_the_index_agrees_with_reading_every_message(corpus_store: ConversationStore, query: str) -> None:
    """Words of spaced scripts are found at the beginnings of words, those of unspaced scripts anywhere."""
    terms = [rf"(?<![a-z]){term}" if term.isascii() else term for term in query.split()]
    rows = corpus_store.database.rows("SELECT id, content FROM messages")
    expected = {row["id"] for row in rows if all(re.search(term, row["content"]) for term in terms)}
    assert {hit.message_id for hit in corpus_store.search.messages(query, limit=10_000)} == expected


@pytest.fixture(scope="module")
def corpus_store(tmp_path_factory: pytest.TempPathFactory) -> ConversationStore:
    from app.conversations.opening import open_store

    store, _damaged = open_store(tmp_path_factory.mktemp("corpus") / "chats.db", Clock())
    fill(store, 200)
    return store
