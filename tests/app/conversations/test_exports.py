"""JSON exports are lossless, Markdown exports readable, and HTML exports fetch nothing."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt

from app.conversations.database.records import AnswerSource, Attachment
from app.conversations.exports.labels import Labels
from app.conversations.exports.writing import HTML, MARKDOWN, free_name, write_folder, write_json, write_text
from app.conversations.imports.reading import import_file
from app.conversations.opening import open_store
from engine.events import Token
from engine.stats import PlainSpan, RequestStats, RoundRecord
from tests.app.cjk_answers import ANSWERS as CJK_ANSWERS
from tests.app.cjk_answers import ITALIC, STRONG, STRUCK

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore

SCHEMA = Path(__file__).parents[3] / "resources" / "schemas" / "conversations.schema.json"
NASTY = '<script src="https://evil.example/x.js"></script> <img src=http://evil.example/i.png> & "quoted"'


ROUNDS = [
    RoundRecord(0, "main", 0, 0, 1, 1, 0.25, 0.0, 0.02, 0.001, "costs-more", (("plain_ms", 9.5), ("kind", "x"))),
    RoundRecord(1, "draft", 4, 1, 2, 5, 0.31, 0.0125, 0.034567, 0.000123),
]


def runner(store: ConversationStore) -> Any:
    return lambda operation: operation(store)


@pytest.fixture
def chat(store: ConversationStore) -> int:
    chat = store.conversations.create(title="초안 / draft: 1", system_prompt="Be brief.", settings={"a": [1, None]})
    store.conversations.move_to_folder(chat, store.conversations.create_folder("Work"))
    store.conversations.pin(chat)
    turn = store.messages.add_user_turn(chat, NASTY, [Attachment("a.md", "text/markdown", "```\nfence\n```")])
    answer = store.answers.start(turn, AnswerSource("org/main", "org/draft", "auto", {"t": 0.5}, 2**64 - 1))
    stats = RequestStats(rounds=2, accept_by_position=((2, 1),), plain_spans=(PlainSpan(1, "off", (("a", 1.5),)),))
    tokens = [Token(1, "x", "draft", 0, 1, -math.inf), Token(2, "y", "main", 1, 1, -0.5)]
    store.answers.finish(answer, "stop", stats, "Look:\n\n```html\n<b>bold</b>\n```\nDone.", tokens, ROUNDS)
    failed = store.answers.regenerate(answer, AnswerSource("org/main"))
    store.answers.finish(failed, None, None, "half", error=("internal", {"detail": "x"}))
    store.messages.select(answer)
    return chat


@pytest.mark.first
def test_json_comes_back_as_it_was_in_another_store(store: ConversationStore, chat: int, tmp_path: Path) -> None:
    write_json(runner(store), [chat], tmp_path / "chats.json")
    other, _damaged = open_store(tmp_path / "other.db", store.database.clock)
    report = import_file(runner(other), tmp_path / "chats.json")
    assert (len(report.added), report.skipped, report.left_out) == (1, (), {})
    write_json(runner(other), report.added, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "chats.json").read_text())
    assert import_file(runner(other), tmp_path / "chats.json").unchanged == report.added
    answers = [message.id for message in other.messages.all(report.added[0]) if message.role == "assistant"]
    assert [other.messages.rounds(answer) for answer in answers] == [ROUNDS, []]
    other.close()


@pytest.mark.parametrize(
    "cut",
    ["```py\nprint(1)", "~~~~\n~~~\nx", "````\n```\nx\n```", "1. a\n   ```\n   x", "- a\n\n```\n    ```", "> ```\n> x"],
)
def test_a_code_block_that_was_cut_ends_before_the_next_turn(
    store: ConversationStore, tmp_path: Path, cut: str
) -> None:
    chat = store.conversations.create(title="Code")
    answer = store.answers.start(store.messages.add_user_turn(chat, "Code?"), AnswerSource("m"))
    store.answers.finish(answer, "length", None, f"Sure:\n\n{cut}\n")
    store.messages.add_user_turn(chat, "Thanks")
    write_text(runner(store), chat, tmp_path / "chat.md", MARKDOWN, Labels())
    tokens = MarkdownIt().parse((tmp_path / "chat.md").read_text())
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2", "h2", "h2"]


def closed(schema: Any) -> Any:
    """Return the schema without room for properties and items that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict):
        found["additionalProperties"] = False
    if "prefixItems" in schema:
        found |= {"items": False, "minItems": len(schema["prefixItems"])}
    return found


def test_json_follows_its_schema_and_the_schema_describes_all_of_it(
    store: ConversationStore, chat: int, tmp_path: Path
) -> None:
    write_json(runner(store), [chat, store.conversations.create()], tmp_path / "chats.json")
    validator = Draft202012Validator(closed(json.loads(SCHEMA.read_text())))
    assert not [*validator.iter_errors(json.loads((tmp_path / "chats.json").read_text()))]


class Addresses(HTMLParser):
    """Collects tags, styles and the attributes that make a browser fetch something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []
        self.styles = 0
        self.feed(page)
        assert self.tags.isdisjoint({"script", "img", "a", "link", "iframe", "b", "object"})
        assert self.addresses == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.styles += sum(name == "style" for name, _value in attrs)
        self.addresses += [f"{tag} {name}" for name, _value in attrs if name in ("src", "href", "srcset", "data")]


def test_html_escapes_everything_and_refers_to_nothing(store: ConversationStore, chat: int, tmp_path: Path) -> None:
    store.conversations.rename(chat, "<script>alert(1)</script>")
    write_text(runner(store), chat, tmp_path / "chat.html", HTML, Labels())
    text = (tmp_path / "chat.html").read_text()
    Addresses(text)
    assert "default-src 'none'" in text
    assert "url(" not in text
    assert '&lt;<span class="code-main_text">b</span>&gt;bold&lt;/' in text


def export_of(store: ConversationStore, answer: str, tmp_path: Path, form: str, question: str = "q") -> str:
    chat = store.conversations.create(title="formulas")
    asked = store.messages.add_user_turn(chat, question)
    store.answers.finish(store.answers.start(asked, AnswerSource()), "stop", RequestStats(), answer)
    write_text(runner(store), chat, tmp_path / "chat", form, Labels(thoughts="생각"))
    return (tmp_path / "chat").read_text()


def html_of(store: ConversationStore, answer: str, tmp_path: Path, question: str = "q") -> str:
    return export_of(store, answer, tmp_path, HTML, question)


def test_html_sets_the_formulas_of_answers(store: ConversationStore, tmp_path: Path) -> None:
    text = html_of(store, "So $a < b$ and\n$$\n\\sum_{i=1}^n x_i\n$$\nwith `$code$`, $5.", tmp_path, "Is $a < b$?")
    for part in (
        'display="inline" title="$a &lt; b$"><mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math> and</p>\n<p><math',
        'display="block"',
        "<mo>∑</mo>",
        "</math></p>\n<p>with <code>$code$</code>, $5.</p>",
        "Is $a &lt; b$?",
    ):
        assert part in text
    assert text.count("<math ") == 2


def test_html_shows_answers_as_the_window_does(store: ConversationStore, tmp_path: Path) -> None:
    thought, table = "<think>\nHm, *hm*.\n</think>", "| a | b |\n|---|---|\n| 1 | $x$ |"
    answer = f"{thought}\n\n# One\n\n**two** ~~three~~ `a < b`\n\n{table}\n\n- [x] done\n\n```py\n'a'\n```"
    text = html_of(store, answer, tmp_path, "**as typed**")
    for part in (
        "<summary>생각</summary>\n<p>Hm, <em>hm</em>.</p>",
        "<h1>One</h1>",
        "<strong>two</strong> <s>three</s> <code>a &lt; b</code>",
        "<td>1</td>",
        "<td><math ",
        "<li>☑ done</li>",
        '<pre><code><span class="code-draft_text">&#x27;</span>',
        ".code-draft_text { color: light-dark(",
        '<div class="text">**as typed**</div>',
    ):
        assert part in text
    assert "think&gt;" not in text


@pytest.mark.parametrize("language", CJK_ANSWERS)
def test_html_emphasises_what_was_meant_beside_chinese_japanese_and_korean(
    store: ConversationStore, tmp_path: Path, language: str
) -> None:
    text = html_of(store, CJK_ANSWERS[language], tmp_path)
    for tag, words in (("strong", STRONG), ("em", ITALIC), ("s", STRUCK)):
        found = re.findall(rf"<{tag}>(.*?)</{tag}>", text)
        assert [unescape(re.sub("<.*?>", "", part)) for part in found] == list(words[language])


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("[words](https://e.org/?a=1&b=2)", 'words <span class="address">(https://e.org/?a=1&amp;b=2)</span>'),
        ("<https://example.org/>", "<p>https://example.org/</p>"),
        ("www.example.org, me@example.org", "<p>www.example.org, me@example.org</p>"),
        ("__bold__ and _it_", "<strong>bold</strong> and <em>it</em>"),
        ("![a cat](https://example.org/cat.png)", 'a cat <span class="address">(https://example.org/cat.png)</span>'),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ('[x](https://e.org "t $y$ <b>")', 'x <span class="address">(https://e.org)</span>'),
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ('```"><script>\nx\n```', "<pre><code>x"),
    ],
)
def test_html_leads_nowhere(store: ConversationStore, tmp_path: Path, answer: str, shown: str) -> None:
    text = html_of(store, answer, tmp_path)
    Addresses(text)
    assert shown in text


def test_markdown_sets_thoughts_apart(store: ConversationStore, tmp_path: Path) -> None:
    text = export_of(store, "<think>\nHm.\n\nYes.\n</think>\n\nThe reply.", tmp_path, MARKDOWN)
    assert "\n\n> *생각*\n>\n> Hm.\n>\n> Yes.\n\nThe reply.\n" in text


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(http://evil.example)}{x}",
        r"\unicode{x3c}script>",
        r"&lt;script&gt;",
        r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}",
        r"x \color{red;background:url(x)} y",
    ],
)
def test_a_formula_brings_nothing_into_the_page_but_mathematics(
    store: ConversationStore, tmp_path: Path, latex: str
) -> None:
    assert Addresses(html_of(store, f"See $${latex}$$ there.", tmp_path)).styles == 0


def test_a_formula_that_cannot_be_set_stays_as_it_was_written(store: ConversationStore, tmp_path: Path) -> None:
    text = html_of(store, r"One $\nosuchcommand x$, one $\frac{a$.", tmp_path)
    assert "<math" not in text
    assert r"One $\nosuchcommand x$" in text


def test_markdown_shows_what_the_chat_shows(store: ConversationStore, chat: int, tmp_path: Path) -> None:
    write_text(runner(store), chat, tmp_path / "chat.md", MARKDOWN, Labels(user="나", assistant="답"))
    text = (tmp_path / "chat.md").read_text()
    assert text.startswith("# 초안 / draft: 1\n\n## System prompt\n\nBe brief.\n\n## 나 · ")
    assert "## 답 · org/main + org/draft · " in text
    assert "````\n```\nfence\n```\n````" in text
    assert "half" not in text


def test_an_interrupted_answer_says_so(store: ConversationStore, tmp_path: Path) -> None:
    chat = store.conversations.create()
    store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource())
    write_text(runner(store), chat, tmp_path / "chat.md", MARKDOWN, Labels())
    assert "*This answer was interrupted.*" in (tmp_path / "chat.md").read_text()


def test_a_folder_gets_one_file_a_chat_and_overwrites_none(store: ConversationStore, chat: int, tmp_path: Path) -> None:
    twin = store.messages.duplicate(chat)
    folder = tmp_path / "all"
    folder.mkdir()
    write_folder(runner(store), [chat, twin], folder, MARKDOWN, Labels())
    write_folder(runner(store), [chat], folder, MARKDOWN, Labels())
    assert sorted(path.name for path in folder.iterdir()) == [f"초안 draft 1{end}.md" for end in (" 2", " 3", "")]


@pytest.mark.parametrize(
    ("title", "name"),
    [("../../etc/passwd", "etc passwd"), ("...", "chat"), ("a\x00b\nc", "a b c"), ("한" * 200, "한" * 66)],
)
def test_no_title_leaves_the_folder(tmp_path: Path, title: str, name: str) -> None:
    assert free_name(tmp_path, title, ".md") == tmp_path / f"{name}.md"


def test_an_export_that_fails_leaves_no_half_file(
    store: ConversationStore, chat: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_source: Path, _target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("engine.files.atomic_file.os.replace", refuse)
    (tmp_path / "out").mkdir()
    with pytest.raises(OSError, match="no space"):
        write_json(runner(store), [chat], tmp_path / "out" / "chats.json")
    assert list((tmp_path / "out").iterdir()) == []
