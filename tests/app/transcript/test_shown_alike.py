"""What models write in everyday answers: the same in the window, in streamed blocks, copied and in HTML."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QFont, QTextDocument

from app.conversations.exports.rendering import as_html
from app.text.blocks import Splitter
from app.text.shown import document_text, paragraphs_of, shown, texts_of, words_of
from app.text.thinking import parts_of
from app.transcript.document_writer import DocumentWriter
from app.window.plain_text import arranged_text

# Each text, its plain text, and a part of its HTML without line ends.
CASES = [
    # Emphasis.
    ("**太字です。**次の文", "太字です。次の文", "<strong>太字です。</strong>次の文"),
    ("**`code`**를 씁니다", "code를 씁니다", "<strong><code>code</code></strong>를"),
    ("**중요(important)**는 강조입니다.", "중요(important)는 강조입니다.", "<strong>중요(important)</strong>는"),
    ("**注意：**正文内容", "注意：正文内容", "<strong>注意：</strong>正文"),
    (
        "__bold__ and _it_ and `__init__` and __init__.py",
        "bold and it and __init__ and __init__.py",
        "<strong>bold</strong> and <em>it</em> and <code>__init__</code> and __init__.py",
    ),
    (
        "__粗体__文字, 文字__粗体__, 굵은__글씨__는, 太字__です__が, a__b__c, 파일_이름_목록",
        "粗体文字, 文字粗体, 굵은글씨는, 太字ですが, a__b__c, 파일_이름_목록",
        "<strong>粗体</strong>文字, 文字<strong>粗体</strong>, 굵은<strong>글씨</strong>는, 太字<strong>です",
    ),
    ("17*23 and 4*5=20", "17*23 and 4*5=20", "<p>17*23 and 4*5=20</p>"),
    ("2**3 and 4**5, *so*", "2**3 and 4**5, so", "2**3 and 4**5, <em>so</em>"),
    ("x = 3 * 4 * 5, snake_case_name", "x = 3 * 4 * 5, snake_case_name", "x = 3 * 4 * 5, snake_case_name"),
    # Tags.
    ("H<sub>2</sub>O x<sup>2</sup> <kbd>K</kbd>", "H2O x2 K", "H<sub>2</sub>O x<sup>2</sup> <kbd>K</kbd>"),
    ("## H<sub>2</sub>O", "H2O", "<h2>H<sub>2</sub>O</h2>"),
    (
        "<b>b</b> <i>i</i> <u>u</u> <s>s</s> <del>d</del> <ins>n</ins>",
        "b i u s d n",
        "<strong>b</strong> <em>i</em> <u>u</u> <s>s</s> <s>d</s> <u>n</u>",
    ),
    ("a<br>b<br/>c<BR />d", "a\nb\nc\nd", "a<br />b<br />c<br />d"),
    ('<span style="x">one</span> <a href="https://e.org/">two</a>', "one two", '<p>one two <span class="address">(https://e.org/)'),
    ('<p>one</p><p align="center">two</p>', "one\n\ntwo", "<p>one</p><p>two</p>"),
    (
        "<script>x</script> <img src=http://e.org/y.png> <img src=javascript:x> <!-- c",
        "<script>x</script> http://e.org/y.png <img src=javascript:x> <!-- c",
        "&lt;script&gt;x&lt;/script&gt; http://e.org/y.png &lt;img src=javascript:x&gt; &lt;!-- c",
    ),
    (
        "<img width='3' alt='그림 &amp; 猫'\n src=\"https://e.org/p.png\"/>です",
        "그림 & 猫です",
        '<p>그림 &amp; 猫 <span class="address">(https://e.org/p.png)</span>です</p>',
    ),
    ("a <!-- b --> c\n\n<!--\n- d\n\n```\ne\n```\n-->\n\nf", "a c\n\nf", "<p>a c</p><p>f</p>"),
    ("- a\n  <!-- b -->\n- c\n\n`<!-- d -->`", "• a\n• c\n\n<!-- d -->", "<li>a</li><li>c</li></ul><p><code>&lt;!-- d"),
    (
        "==x== 这是==重点==内容 <mark>*표시*</mark> a==b and c==d, if x == y and y == z",
        "x 这是重点内容 표시 a==b and c==d, if x == y and y == z",
        "<mark>x</mark> 这是<mark>重点</mark>内容 <mark><em>표시</em></mark> a==b and",
    ),
    ("\x1b[1;31mred\x1b[0m `\x1b[32mg\x1b[m`\n\n```\n\x1b[38;5;9m오류\x1b[0m\n```", "red g\n\n오류", "<pre><code>오류"),
    ("hello <b>open and <form>x</form>", "hello <b>open and <form>x</form>", "hello &lt;b&gt;open"),
    (
        "<details><summary>More <b>here</b></summary>\n\nhidden *text*\n\n</details>\nafter",
        "More here\n\nhidden text\n\nafter",
        "<details><summary>More <strong>here</strong></summary><p>hidden <em>text</em></p></details><p>after</p>",
    ),
    (
        "<details open>\n<summary>S</summary>\n\n- a\n\n```py\nx\n```\n</details>",
        "S\n\n• a\n\nx",
        '<details open=""><summary>S</summary><ul><li>a</li></ul><pre>',
    ),
    # Lines.
    ("Dear Ann,\ntwo  \nthree\\\nfour\n\nBye", "Dear Ann,\ntwo\nthree\nfour\n\nBye", "two<br />three<br />four"),
    ("Line\n- item right after", "Line\n\n• item right after", "<p>Line</p><ul><li>item right after</li></ul>"),
    ("- item  \n  more\n  lines", "• item\nmore\nlines", "<li>item<br />more<br />lines</li>"),
    # Lists.
    ("* a\n* b\n\ntext\n\n+ c", "• a\n• b\n\ntext\n\n• c", "<li>b</li></ul><p>text</p><ul><li>c</li></ul>"),
    ("1) one\n2) two\n   - three", "1) one\n2) two\n  • three", "<li>two<ul><li>three</li></ul></li>"),
    ("5. five\n6. six", "5. five\n6. six", '<ol start="5"><li>five</li>'),
    ("- [ ] to do\n- [x] done", "☐ to do\n☑ done", "<li>☐ to do</li><li>☑ done</li>"),
    ("Term\n: Definition *one*", "Term\n\nDefinition one", "<dl><dt>Term</dt><dd>Definition <em>one</em></dd></dl>"),
    ("1. a\n   1. b\n      ```\n      c\n      ```\n2. d", "1. a\n  1. b\n\nc\n\n2. d", "b<pre><code>c</code></pre>"),
    ("> - a\n>   ```\n>   x\n>   ```\n> - b", "• a\n\nx\n\n• b", "<blockquote><ul><li>a<pre><code>x</code></pre></li>"),
    # Tables.
    ("| a | b |\n|---|---|\n| 1<br>2 | 3<br/>4 |", "a\tb\n1 2\t3 4", "<td>1<br />2</td><td>3<br />4</td>"),
    ("- Item:\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n- next", "• Item:\n\na\tb\n1\t2\n\n• next", "<li>Item:<table"),
    (
        "| a \\| b | `x|y` | $|z|$ |\n|:--|:-:|--:|\n| **k** | `a\\|b` | 2 |",
        "a | b\tx|y\t|z|\nk\ta|b\t2",
        '<th style="text-align:center"><code>x|y</code></th>',
    ),
    ("| شيء | عدد |\n|---|---|\n| كتاب | 2 |", "شيء\tعدد\nكتاب\t2", '<table dir="auto"><thead><tr><th>شيء</th>'),
    ("> | a | b |\n> |---|---|\n> | 1 |", "a\tb\n1\t", "<blockquote><table"),
    ("a|b\n-|-\n1|2", "a\tb\n1\t2", "<tr><th>a</th><th>b</th></tr>"),
    # Notes, links and alerts.
    (
        "See[^1] and [site][S].\n\n[^1]: The note.\n\n[s]: https://e.org 'T'",
        "See1 and site.\n\n1 The note.",
        '<p>See<sup>1</sup> and site <span class="address">(https://e.org)</span>.</p>',
    ),
    (
        "One[^note], two[^2] and three[^메모].\n\n[^note]: N\n[^2]: T\n[^메모]: M",
        "One1, two2 and three3.\n\n1 N\n\n2 T\n\n3 M",
        '<p>One<sup>1</sup>, two<sup>2</sup> and three<sup>3</sup>.</p><div class="note-below"><sup>1</sup>',
    ),
    ("> [!WARNING]\n> Hot **water**\n> next", "Warning\n\nHot water\nnext", "Hot <strong>water</strong><br />next</p>"),
    ("![a cat](https://e.org/p.png)", "a cat", '<p>a cat <span class="address">(https://e.org/p.png)</span></p>'),
    ("[x](javascript:alert(1))", "[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    # Formulas.
    (
        "$\\begin{pmatrix}1\\end{pmatrix}^{-1}$",
        "\\begin{pmatrix}1\\end{pmatrix}^{-1}",
        "<msup><mrow><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo></mrow><mrow><mo>−</mo>",
    ),
    ("so \\boxed{42}.", "so \\boxed{42}.", '<menclose notation="box"><mrow><mn>42</mn>'),
    ("\\ce{2H2 + O2 -> 2H2O}", "\\ce{2H2 + O2 -> 2H2O}", '<msub><mi mathvariant="normal">H</mi><mrow><mn>2</mn>'),
    ("약 $50\\%$, 约$5.5\\%$的 ($5 and 6$)", "약 50\\%, 约5.5\\%的 ($5 and 6$)", "<mn>50</mn><mi>%</mi>"),
    ("```math\n\\frac{1}{2}\n```\nso", "\\frac{1}{2}\n\nso", '&#10;$$"><mrow><mfrac>'),
    ("- a\n  ~~~ math\n  x\n  ~~~\n- b\n\n```maths\nx\n```", "• a\n\nx\n\n• b\n\nx", "<li>b</li></ul><pre><code>x"),
    ("$$E \\tag{1}$$", "E \\tag{1}", '<mi>E</mi><mspace width="2em" />'),
    ("Total: $5 and $6.", "Total: $5 and $6.", "<p>Total: $5 and $6.</p>"),
    # Code.
    ("```\n<b>&amp;\n```", "<b>&amp;", "<pre><code>&lt;b&gt;&amp;amp;</code></pre>"),
    ("```diff\n-a\n```", "-a", '<pre><code><span class="code-problem">-a</span></code></pre>'),
    ("```svg\n<g/>\n```", "<g/>", '<pre><code><span class="code-main_text">&lt;g</span>'),
    ("```html\n<a>\n```", "<a>", '&lt;<span class="code-main_text">a</span>&gt;'),
    ("```py\ndef f(): 1\n```", "def f(): 1", '<span class="code-text">f</span>(): <span'),
    ("@@ -1 +1 @@", "@@ -1 +1 @@", "<p>@@ -1 +1 @@</p>"),
    ("text\n***\nmore", "text\n\nmore", "<p>text</p><hr /><p>more</p>"),
    # Thoughts.
    ("<think></think>\n<think>again</think>b", "b", "<p>b</p>"),
]  # fmt: skip


def words(paragraphs: list[str]) -> str:
    return " ".join(" ".join(paragraphs).split())


@pytest.mark.usefixtures("typeset")
@pytest.mark.parametrize(("answer", "plain", "html"), CASES)
def test_an_answer_is_the_same_in_the_window_streamed_copied_and_exported(answer: str, plain: str, html: str) -> None:
    reply = parts_of(answer).reply
    assert arranged_text(reply) == plain
    assert html in as_html(reply).replace("\n", "")
    document, splitter = QTextDocument(), Splitter()
    font = QFont()
    font.setPixelSize(15)
    DocumentWriter(document, font).write(shown(reply))
    assert document.toPlainText() == document_text(shown(reply))
    for sign in reply:
        splitter.feed(sign)
    splitter.finish()
    blocks = [one for block in map(splitter.resolved, splitter.frozen) for one in paragraphs_of(block)]
    whole, parts = ([words_of(spans) for one in some for spans in texts_of(one)] for some in (shown(reply), blocks))
    assert words(parts) == words(whole)


ENVIRONMENTS = ["aligned", "alignedat", "alignat*", "align", "gathered", "gather*", "split", "multline", "eqnarray"]
OTHERS = ["smallmatrix", "dcases", "cases", "matrix*", "pmatrix", "array", "flalign"]
OPTIONS = {"alignedat": "{2}", "alignat*": "{2}", "array": "{cc}", "aligned": "[t]", "matrix*": "[r]"}


@pytest.mark.parametrize("name", [*ENVIRONMENTS, *OTHERS])
@pytest.mark.parametrize("around", ["$$\n{}\n$$", "\\[ f = \\left\\{{ {} \\right. \\]", "{}"])
def test_rows_of_formulas_are_rows_in_html(name: str, around: str) -> None:
    formula = rf"\begin{{{name}}}{OPTIONS.get(name, '')} f(x) &= (x+1)^2 \\ &= x^2+2x+1 \end{{{name}}}"
    page = as_html(around.format(formula)).replace("\n", "")
    shown_in_page = re.sub(' title="[^"]*"', "", page)
    assert shown_in_page.count("<mtr>") == 2
    assert "&amp;" not in shown_in_page
    assert "begin" not in shown_in_page


def test_titles_of_alerts_are_in_the_language_of_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.text.markdown.alert_titles", {"Tip": "팁"})
    assert arranged_text("> [!TIP]\n> a\n\n> [!NOTE]\n> b") == "팁\n\na\n\nNote\n\nb"
    assert '<p class="markdown-alert-title">팁</p>' in as_html("- x\n  > [!TIP]\n  > y")
