"""The parser: emphasis beside Chinese, Japanese and Korean, and what is read besides CommonMark."""

from __future__ import annotations

import pytest

from app.text.emphasis import is_cjk
from app.text.markdown import PARSER
from app.text.shown import document_text, shown, texts_of
from tests.app.cjk_answers import ANSWERS, ITALIC, STRONG, STRUCK


def html(markdown: str) -> str:
    """Return the HTML of one paragraph."""
    return PARSER.render(markdown).strip().removeprefix("<p>").removesuffix("</p>")


def words_in(markdown: str, style: str) -> list[str]:
    """Return the texts of a style, spans that follow each other as one."""
    found, before = [], False
    for paragraph in shown(markdown):
        for span in (span for spans in texts_of(paragraph) for span in [*spans, None]):
            inside = span is not None and style in span.style
            if span and inside:
                found += [found.pop() + span.text] if before else [span.text]
            before = inside
    return found


@pytest.mark.parametrize("language", ANSWERS)
def test_every_span_of_an_answer_is_emphasised_as_it_was_meant(language: str) -> None:
    answer = ANSWERS[language]
    assert words_in(answer, "strong") == list(STRONG[language])
    assert words_in(answer, "em") == list(ITALIC[language])
    assert words_in(answer, "s") == list(STRUCK[language])
    text = document_text(shown(answer))
    assert [sign for sign in ("*", "~", "`") if sign in text] == []


@pytest.mark.parametrize(
    ("markdown", "shows"),
    [
        ("含**「重点」**内容", "含<strong>「重点」</strong>内容"),
        ("**复现：**10 轮", "<strong>复现：</strong>10 轮"),
        ("**中文。**English", "<strong>中文。</strong>English"),
        ("一**!二!**三", "一<strong>!二!</strong>三"),
        ("**`code`**를", "<strong><code>code</code></strong>를"),
        ("**[링크](https://e.org)**를", '<strong><a href="https://e.org">링크</a></strong>를'),
        ("**굵게 *기울임(주)*가 있는(것)**을", "<strong>굵게 <em>기울임(주)</em>가 있는(것)</strong>을"),
        ("***셋(다)***는", "<em><strong>셋(다)</strong></em>는"),
        ("~~**취소(됨)**~~은", "<s><strong>취소(됨)</strong></s>은"),
        ("가~~(나)~~다", "가<s>(나)</s>다"),
        # A space inside is none of the specification's cases.
        ("가 ** 나**다", "가 ** 나**다"),
        # An underscore within a word stays one, in every script.
        ("파일_이름_값", "파일_이름_값"),
        ("変数_名_前 a__b__c", "変数_名_前 a__b__c"),
        ("。__強調__。", "。<strong>強調</strong>。"),
        # Half-width kana, old and conjoining letters, and letters beyond the basic plane.
        ("**ｱｲｳ(半角)**ｶﾞ", "<strong>ｱｲｳ(半角)</strong>ｶﾞ"),
        ("**(\u1112\u1161\u11ab)**\u1112\u1161\u11ab", "<strong>(\u1112\u1161\u11ab)</strong>\u1112\u1161\u11ab"),
        ("\u1112\u1161\u11ab**(가)**ab", "\u1112\u1161\u11ab**(가)**ab"),
        ("**(古)**𠮷野家", "<strong>(古)</strong>𠮷野家"),
        ("𠮷**(古)**野", "𠮷<strong>(古)</strong>野"),
        # Variation selectors belong to the sign before them, ideographic ones are part of a letter.
        ("葛\U000e0100**(葛)**城", "葛\U000e0100<strong>(葛)</strong>城"),
        ("**〽\ufe0e**か", "<strong>〽\ufe0e</strong>か"),
        ("**真\ufe00**。か", "<strong>真\ufe00</strong>。か"),
        ("**“引用”\ufe01**Text", "<strong>“引用”\ufe01</strong>Text"),
        ("**“引用”**Text", "**“引用”**Text"),
        # Emoji are no letters of these scripts.
        ("a**🙂**b", "a**🙂**b"),
        ("가**🙂**나", "가<strong>🙂</strong>나"),
    ],
)  # fmt: skip
def test_delimiters_follow_the_cjk_friendly_amendments(markdown: str, shows: str) -> None:
    assert html(markdown) == shows


@pytest.mark.parametrize(
    ("markdown", "shows"),
    [
        ("*foo bar*", "<em>foo bar</em>"),
        ("a * foo bar*", "a * foo bar*"),
        ('a*"foo"*', "a*&quot;foo&quot;*"),
        ("*\xa0a\xa0*", "*\xa0a\xa0*"),
        ("*$*alpha.", "*$*alpha."),
        ("foo*bar*", "foo<em>bar</em>"),
        ("_foo bar_", "<em>foo bar</em>"),
        ("foo_bar_", "foo_bar_"),
        ("пристаням_стремятся_", "пристаням_стремятся_"),
        ('aa_"bb"_cc', "aa_&quot;bb&quot;_cc"),
        ("foo-_(bar)_", "foo-<em>(bar)</em>"),
        ("*(*foo)", "*(*foo)"),
        ("*(*foo*)*", "<em>(<em>foo</em>)</em>"),
        ("_foo_bar_baz_", "<em>foo_bar_baz</em>"),
        ("**foo bar**", "<strong>foo bar</strong>"),
        ('a**"foo"**', "a**&quot;foo&quot;**"),
        ("__foo bar__", "<strong>foo bar</strong>"),
        ("foo__bar__", "foo__bar__"),
        ("__foo, __bar__, baz__", "<strong>foo, <strong>bar</strong>, baz</strong>"),
        ("**foo*bar**", "<strong>foo*bar</strong>"),
        ("*foo**bar*", "<em>foo**bar</em>"),
        ("***foo** bar*", "<em><strong>foo</strong> bar</em>"),
        ("foo******bar*********baz", "foo<strong><strong><strong>bar</strong></strong></strong>***baz"),
        ("** is not an empty emphasis", "** is not an empty emphasis"),
        ("*foo**", "<em>foo</em>*"),
        ("`__init__` and __init__.py, __xy__.py", "<code>__init__</code> and __init__.py, __xy__.py"),
        ("__main__ and __call__(x), __bold__.", "__main__ and __call__(x), <strong>bold</strong>."),
        ("~~a~~ ~b~ 1~2", "<s>a</s> ~b~ 1~2"),
        ("x ~~~a~~~", "x ~<s>a</s>~"),
    ],
)
def test_latin_text_is_emphasised_as_commonmark_says(markdown: str, shows: str) -> None:
    assert html(markdown) == shows


@pytest.mark.parametrize(
    ("sign", "is_one"),
    [*((sign, True) for sign in "가ㄱﾡ한あアｱ漢𠮷〒、「！：％㈀"), *((sign, False) for sign in 'a(”“"%é🙂⌚ж😀')],
)
def test_characters_are_of_these_scripts_by_their_width(sign: str, is_one: bool) -> None:
    assert is_cjk(sign) == is_one


@pytest.mark.parametrize(
    ("markdown", "address", "words"),
    [
        ("See https://e.org/a_b(c).", "https://e.org/a_b(c)", "https://e.org/a_b(c)"),
        ("(www.e.org/x?a=1&amp;b=2)", "http://www.e.org/x?a=1&amp;b=2", "www.e.org/x?a=1&amp;b=2"),
        ("주소는 https://e.org/a를 보세요", "https://e.org/a", "https://e.org/a"),
        ("出典：https://e.org/a。", "https://e.org/a", "https://e.org/a"),
        ("me@e.org, please", "mailto:me@e.org", "me@e.org"),
        ("<https://e.org/>", "https://e.org/", "https://e.org/"),
    ],
)
def test_bare_addresses_are_links(markdown: str, address: str, words: str) -> None:
    assert f'<a href="{address}">{words}</a>' in html(markdown)


@pytest.mark.parametrize("text", ["`https://e.org`", "https://", "www.", "a@b", "xhttps://e.org"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert "<a " not in html(text)


@pytest.mark.first
def test_a_bar_in_code_or_in_a_formula_divides_no_cells() -> None:
    rows = shown("Words:\n| `a|b` | $|x|$ |\n|---|---|\n| $5 | 6 \\| 7 |\n| $\\|v\\|$ | `c \\| d` |").pop().rows
    formulas = [span.formula.latex for row in rows for cell in row for span in cell if span.formula]
    assert [[cell[0].text for cell in row] for row in rows] == [["a|b", ""], ["$5", "6 | 7"], ["", "c | d"]]
    assert formulas == ["|x|", "\\|v\\|"]


def test_nothing_is_left_out_however_deep_it_is() -> None:
    text = document_text(shown("- " * 40 + "deep\n\n" + "> " * 40 + "quoted\n\nafter"))
    assert [word for word in ("deep", "quoted", "after") if word not in text] == []


@pytest.mark.parametrize(
    ("markdown", "shows"),
    [
        ("###Heading\n\n##标题", "<h3>Heading</h3>\n<h2>标题</h2>"),
        ("a\n##b##", "<p>a</p>\n<h2>b</h2>"),
        ("#tag and ##1", "<p>#tag and ##1</p>"),
        ("- a\n\n      - b\n      - c", "<li>\n<p>a</p>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n</li>"),
        ("1. a\n\n       more", "<pre><code>more\n</code></pre>"),
        ("-       apart\n- b", "<ul>\n<li>apart</li>\n<li>b</li>\n</ul>"),
        ("    - code", "<pre><code>- code\n</code></pre>"),
        ("| a | b | | --- | --- | | 1 | 2 | | 3 |  |", "<td>3</td>\n<td></td>"),
        ("| a | b | | --- | --- | | 1 | 2 | 3 |", "<p>| a | b | | --- | --- | | 1 | 2 | 3 |</p>"),
    ],
)
def test_what_models_write_almost_rightly_is_read_as_it_is_meant(markdown: str, shows: str) -> None:
    assert shows in PARSER.render(markdown)


@pytest.mark.parametrize("opening", ["$$", "```math", "\\["])
def test_a_formula_that_is_left_open_ends_with_its_item(opening: str) -> None:
    text = document_text(shown(f"- a\n  {opening}\n  x = 1\n- b\n\nAfter it.\n\n$$\ny = 2\n$$\n\nThe end."))
    paragraphs = shown(f"- {opening}\n  x\n- b\n\n$$\ny = 2\n$$")
    formulas = [span.formula.latex for paragraph in paragraphs for span in paragraph.spans if span.formula]
    assert [words for words in ("b", "After it.", "The end.") if words not in text] == []
    assert formulas == ["y = 2"]
