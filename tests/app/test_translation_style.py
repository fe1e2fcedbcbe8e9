"""The style of each language: punctuation, spaces, register, particles, and the words of the glossary."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tests.app.translation_files import forms, messages

GLOSSARY = Path(__file__).resolve().parents[2] / "i18n" / "glossary.md"
TRANSLATED = ("ko", "ja", "zh_CN")
KANA_OR_HAN = r"[\u3005\u3040-\u30ff\u4e00-\u9fff]"
FULL_WIDTH = "、。，：；！？（）「」“”"
FIELD = re.compile(r"\{[^}]*\}|%Ln")

# Names, units, keys and formats that are written alike in every language.
NAMES = {
    *("Tandem", "MLX", "Qt", "Qt Project", "GNU", "LGPL", "Apache License", "Hugging Face", "Qwen3.8", "Gemma"),
    *("macOS", "iogpu.wired_limit_mb", "mlx-vlm", "README", "Mac", "GB", "KV", "PDF", "DOCX", "XLSX", "PPTX", "UTF-8"),
    *("HTML", "GGUF", "GIF", "JPEG", "JSON", "PNG", "WebP", "JSON Schema", "Markdown", "config.json"),
    *("Enter", "Shift", "Command", "Ctrl", "Top p", "Top k", "Min p", "n-gram", "Finder", "Cmd", "ID", "URL", "OCR"),
    *("MTP", "API", "OpenAI-compatible", "default", "http://localhost:3000", "Web", "CPU", "GPU", "SSH", "<|im_end|>"),
    *("http://proxy:8080", "mac.local:8799", "Macs", "Thunderbolt", "mac-studio.local", "ms"),
    "Lesser General Public License",
    *("LoRA", "LM Studio", "Ollama", "KEY", "oMLX", "Jan", "MTPLX", "LibreOffice", "Tesseract", "OpenBLAS", "Debian"),
    *("MCP", "mcp.json", "mcpServers", "command", "url", "https://", "http://", "Streamable HTTP", "SSE", "MB"),
    *("Brave", "brave.com/search/api", "Git", "npx", "Node.js", "nodejs.org", "uvx", "uv", "docs.astral.sh/uv"),
    *("Wikipedia", "SearXNG", "ZIP", "messages.jsonl", "thread.json", "Ubuntu", "mermaid.live"),
}
# Words of the glossary that English uses in other senses as well: "get worse", "continue the answer", "a depth of 3".
OF_MANY_SENSES = {
    *("chat", "find", "log", "continue", "resume", "download", "compare", "token", "folder"),
    *("branch", "copy", "round", "thinking", "accepted", "rejected"),
}
# Fields whose values all end alike, so that the next word can be spelled for them: a factor, a duration, a key.
SAME_ENDING = {"{times}", "{time}", "{keys}", "{saved}"}
# Fields whose values stand in quotation marks, which are full-width.
QUOTED = re.compile(r"\{guessed\}|\{plain\}")
# One English word, two things: a list and what it holds, a folder in a list and a window, a file and a line, a column
# and a side of a switch.
TWO_THINGS = {"Chats", "Open", "Close", "Clear", "Tokens"}


def translations(language: str) -> list[tuple[str, str]]:
    """(source, translation) of every message."""
    return [(message.findtext("source") or "", form) for _, message in messages(language) for form in forms(message)]


def breaking(language: str, pattern: str) -> list[str]:
    """Return the translations that match `pattern`, which the language does not allow."""
    return [form for _, form in translations(language) if re.search(pattern, form)]


def test_english_is_in_sentence_case_with_one_word_for_a_thing() -> None:
    names = {*" ".join(NAMES).split(), *("English", "Qwen", "Gemma", "License", "Lesser", "General", "Public", "Node")}
    names |= {"Settings", "Finder", "Trash", "Starter", "Check"}
    # What macOS calls its own.
    names |= {"System", "Low", "Power", "Mode", "Local", "Network"}
    sources = {source for source, _ in translations("ko")}
    capitals = {word for source in sources for word in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+\b", source)}
    assert capitals - names == set()
    retired = re.compile(r"\bconversations?\b|\bmachine\b|\bfor good\b|\.\.\.|\"")
    assert {source for source in sources if retired.search(source)} == set()


@pytest.mark.parametrize("language", ["ja", "zh_CN"])
def test_punctuation_is_full_width(language: str) -> None:
    assert breaking(language, rf"{KANA_OR_HAN}[,.:;!?()]|[,:;!?()]{KANA_OR_HAN}|[^.]\.$|: ") == []
    assert breaking(language, f"{KANA_OR_HAN} {KANA_OR_HAN}") == []


def test_japanese_has_no_space_beside_latin_letters_digits_and_fields() -> None:
    assert breaking("ja", rf"{KANA_OR_HAN} [A-Za-z0-9{{%]|[A-Za-z0-9}}%] {KANA_OR_HAN}") == []


@pytest.mark.parametrize("page", ["i18n/README.ja.md", "docs/installing.ja.md"])
def test_japanese_pages_are_spaced_like_the_window(page: str) -> None:
    text = re.sub(r"```.*?```", "", (GLOSSARY.parents[1] / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert re.findall(rf"{KANA_OR_HAN} [A-Za-z0-9`\[].{{9}}|.{{9}}[A-Za-z0-9`%] {KANA_OR_HAN}", text) == []


def test_chinese_has_a_space_beside_latin_letters_digits_and_fields() -> None:
    together = re.compile(rf"{KANA_OR_HAN}[A-Za-z0-9{{%]|[A-Za-z0-9}}%]{KANA_OR_HAN}|%Ln{KANA_OR_HAN}")
    same_ending = re.compile(rf"(?:{'|'.join(map(re.escape, SAME_ENDING))})(?={KANA_OR_HAN})")
    shown = [QUOTED.sub("“”", form) for _, form in translations("zh_CN")]
    # Full-width punctuation has its own space.
    assert [form for form in shown if re.search(f"[{FULL_WIDTH}] | [{FULL_WIDTH}]", form)] == []
    assert [form for form in shown if together.search(same_ending.sub("", form))] == []


def test_korean_particles_fit_whatever_a_field_holds() -> None:
    """Particles such as 을/를 depend on the last sound, which a field does not tell; 을(를) is not allowed either."""
    particle = re.compile(r"(\{\w+\}|%Ln)[’”]?(?:을|를|은|는|이|가|와|과|으로|로|이나|나|이에요|예요)(?=[\s.,()의]|$)")
    found = [
        form
        for _, form in translations("ko")
        if any(match.group(1) not in SAME_ENDING for match in particle.finditer(form))
        or re.search(r"\((?:은|는|이|가|을|를|와|과|으|이)\)", form)
    ]
    assert found == []


def test_korean_sentences_are_in_one_register_and_ask_politely() -> None:
    assert breaking("ko", r"(?<=[가-힣])(?<!요)\.(?=\s|$)") == []
    assert breaking("ko", r"니다(?=[.?]|$)|십시오|(?<!주)(?<!보)세요(?=[.:]|$)") == []


def test_japanese_sentences_are_in_one_register() -> None:
    polite = r"(?:です|ます|でした|ました|ません|ませんでした|ください)(?:か)?$"
    found = []
    for _, form in translations("ja"):
        ended = re.findall(r"([^。]+)。", re.sub("（[^）]*）", "", form))
        found += [form for sentence in ended if not re.search(rf"{polite}|\}}$", sentence)]
    assert found == []


def test_quotation_marks_are_those_of_the_language() -> None:
    assert breaking("ja", "[‘’“”]") == []
    assert breaking("zh_CN", "[‘’「」]") == []
    assert breaking("ko", '[「」"]|“(?!{text})') == []


def test_words_are_spelled_one_way() -> None:
    japanese = r"ウィンドウ|トークナイザ(?!ー)|デコーディング(?<!投機的デコーディング)|既定値|フォルダー|(?<!その)他の"
    japanese += r"|ユーザー|サーバー|もう一度試して|〜|分か[らりるっ]|[倍}](?:以上)?高速(?!化)"
    assert breaking("ja", japanese) == []
    assert breaking("ko", r"허브|줄 바꿈") == []
    assert breaking("zh_CN", r"载入|全屏(?!幕)|彻底|复制(?!对话|$)|您|聊天|点击") == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_english_word_is_left_over(language: str) -> None:
    allowed = NAMES | ({"token", "Token"} if language == "zh_CN" else set())
    names = re.compile("|".join(re.escape(name) for name in sorted(allowed, key=len, reverse=True)))
    found = [form for _, form in translations(language) if re.search("[A-Za-z]", names.sub("", FIELD.sub("", form)))]
    assert found == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_one_english_text_has_one_translation_that_ends_in_an_ellipsis_if_it_does(language: str) -> None:
    found = defaultdict(set)
    for source, form in translations(language):
        found[source].add(form)
        assert source.endswith("…") == form.endswith("…"), form
    assert {source: several for source, several in found.items() if len(several) > 1 and source not in TWO_THINGS} == {}
    assert breaking(language, r"\.\.\.") == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_words_of_the_glossary_are_used(language: str) -> None:
    words = glossary(language)
    assert len(words) > 30
    found = []
    for source, form in translations(language):
        plain = FIELD.sub("", source)
        for term in sorted(words, key=len, reverse=True):
            plain, times = re.subn(rf"\b{re.escape(term)}s?\b", "", plain, flags=re.I)
            if times and not any(word in form for word in words[term]):
                found.append(f"{term}: {source} -> {form}")
    assert found == []


def glossary(language: str) -> dict[str, list[str]]:
    """Return the English terms with one sense, each with its words in a language."""
    column = 1 + TRANSLATED.index(language)
    found: dict[str, list[str]] = {}
    for line in GLOSSARY.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 5 or cells[0] in ("English", "---"):
            continue
        terms = re.sub(r" \([^)]*\)", "", cells[0]).split(", ")
        words = cells[column].split(", ")
        for index, term in enumerate(terms):
            if term not in OF_MANY_SENSES:
                found[term] = [words[index]] if len(words) == len(terms) else words
    return found
