"""Formulas are found in Markdown, told from money and code, typeset, painted, and copied as they were written."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.text.formulas import LONGEST, Formula, settable, tagged
from app.text.markdown import PARSER
from app.transcript.answer_body import AnswerBody
from app.transcript.formula_pictures import Outline, outline_of, pictures, placed
from app.transcript.formula_text import OBJECT, formula_size
from app.transcript.prose import Prose
from app.window.plain_text import spoken_text


def formulas_of(text: str) -> list[Formula]:
    return [
        part.meta["formula"] for token in PARSER.parse(text) for part in token.children or [] if part.type == "formula"
    ]


def sources(text: str) -> list[str]:
    return [formula.source for formula in formulas_of(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The root of $x^2$ is $x$.", ["$x^2$", "$x$"]),
        (r"So \(a_b\) and \[c_d\].", [r"\(a_b\)", r"\[c_d\]"]),
        ("$$\na = b\n$$", ["$$\na = b\n$$"]),
        (r"\begin{align} a &= b \end{align}", [r"\begin{align} a &= b \end{align}"]),
        ("변수 $x$는 작아요. 変数$y$が", ["$x$", "$y$"]),
        (r"$\text{속도} = \frac{거리}{시간}$", [r"$\text{속도} = \frac{거리}{시간}$"]),
        ("It has $3$ parts, $n=5$ each.", ["$3$", "$n=5$"]),
        ("| $x$ | $|y|$ |", ["$x$", "$|y|$"]),
    ],
)
def test_formulas_are_found(text: str, found: list[str]) -> None:
    assert sources(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $6.",
        "From $5 to $6, or 7$ at most.",
        "US$5 are A$7, and $1,000-$2,000 are more.",
        "$5 million (or 4$)",
        "$20 per month. Pro costs 40$",
        "Put $HOME/bin into $PATH.",
        r"\$5 and \$6$",
        "`$x$` and ``a ` $y$``",
        "```sh\necho $A $B$\n```",
        "- item\n\n  ```sh\n  x=$y$\n  ```\n",
        "| $5 | $6 |",
        "$ x $ and $$",
        "An open $x^2",
        "$a\n\nb$",
    ],
)
def test_money_code_and_lone_signs_are_no_formulas(text: str) -> None:
    assert sources(text) == []


@pytest.mark.parametrize("latex", [r"\frac{a", r"\foo{x}", "{" * 500 + "x" + "}" * 500, r"\begin{matrix} a"])
def test_what_cannot_be_set_is_none(latex: str) -> None:
    assert outline_of(Formula(latex, latex, False), 16) is None


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"\text{50\% of \$5}", r"\text{50% of $5}"),
        (r"\text{message\_sent}", r"\text{message_sent}"),
        (r"\text{R\&D < 5}", r"\text{R&amp;D &lt; 5}"),
        (r"\text{a \textbf{b} c}", r"\text{a }\textbf{b}\text{ c}"),
        (r"\text{in \{a\}}", r"\text{in }\{\text{a}\}"),
        (r"\text{a~{b}}", r"\text{a b}"),
        (r"5\% + a\_b", r"5\% + a\_b"),
        (r"a \tag{A & b}", r"a \qquad (\text{A &amp; b})"),
    ],
)
def test_signs_within_words_stand_for_themselves(latex: str, words: str) -> None:
    assert settable(latex) == words
    assert outline_of(Formula(latex, latex, False), 16) is not None


def test_letters_that_the_formula_font_has_not_are_the_systems() -> None:
    outline = outline_of(Formula(r"x^{속도} = \text{거리}", "", False), 16)
    assert outline is not None
    assert ">속</text>" in outline.svg
    assert outline.width > 4 * 16 * 0.6


@pytest.mark.parametrize(
    ("source", "latex", "tag"),
    [
        (r"$$a = b \tag{1}$$", "a = b ", "(1)"),
        (r"\[a = b \tag*{A & B}\]", "a = b ", r"\text{A & B}"),
        (r"$$a \tag{2.1a}$$", "a ", r"(\text{2.1a})"),
        (r"\[a \tag{$*$}\]", "a ", "($*$)"),
        (r"\begin{equation} a \tag{2} \end{equation}", r"\begin{equation} a  \end{equation}", "(2)"),
        (r"$a \tag{1}$", r"a \tag{1}", ""),
        (r"$$\begin{align} a \tag{1} \\ b \end{align}$$", r"\begin{align} a \tag{1} \\ b \end{align}", ""),
        (r"$$\tag{1}$$", r"\tag{1}", ""),
        ("$$a$$", "a", ""),
    ],
)
def test_a_tag_of_one_line_is_apart_from_its_formula(source: str, latex: str, tag: str) -> None:
    (formula,) = formulas_of(source)
    assert tagged(formula) == (latex, tag)


def test_a_tag_stands_at_the_right_end_of_the_room() -> None:
    tag = Outline("", 20, 10, 2)
    outline = Outline("", 100, 10, 2, tag)
    assert [(part.scale, part.left) for part in placed(outline, 400, 1)] == [(1, 150), (1, 380)]
    # Beside a wide formula, the tag keeps its distance; what is too wide for both is smaller.
    assert [part.left for part in placed(outline, 150, 1)] == [6, 130]
    assert [(part.scale, round(part.left)) for part in placed(outline, 72, 1)] == [(0.5, 0), (0.5, 62)]
    assert [(part.scale, part.left) for part in placed(Outline("", 100, 10, 2), 400, 2)] == [(2, 0)]


def test_a_displayed_formula_with_a_tag_is_as_wide_as_its_column(body: AnswerBody, qtbot: QtBot) -> None:
    body.show_text("> $$a = b \\tag{1}$$\n\n| x |\n|---|\n| $$c \\tag{2}$$ |\n", ended=True)
    document = prose(body, qtbot).document()
    quoted = document.begin()
    column = document.textWidth() - 2 * document.documentMargin() - quoted.blockFormat().leftMargin()
    assert column - 4 < quoted.layout().lineAt(0).naturalTextWidth() <= column
    in_cell = document.lastBlock().previous()
    assert in_cell.text() == "\ufffc"
    assert in_cell.layout().lineAt(0).naturalTextWidth() < 100


def prose(body: AnswerBody, qtbot: QtBot) -> Prose:
    """Return the first block, once its formulas are typeset."""
    view = body.text_views[0]
    assert isinstance(view, Prose)
    wait_until_set(body, qtbot)
    return view


def wait_until_set(body: AnswerBody, qtbot: QtBot) -> None:
    """Wait until every formula that can be typeset is an outline and no longer LaTeX."""
    qtbot.waitUntil(lambda: all(_is_set(view) for view in body.findChildren(Prose)))


def _is_set(view: Prose) -> bool:
    """Whether every formula of a text that has an outline is shown as one."""
    size = formula_size(view.font())
    formulas = formulas_of(view.markdown)
    if not all(pictures().request((formula, size)) for formula in formulas):
        return False
    return view.toPlainText().count("\ufffc") == sum(pictures().known[one, size] is not None for one in formulas)


def test_a_formula_is_painted_in_its_line(body: AnswerBody, qtbot: QtBot) -> None:
    body.show_text("The area is $a_b^2$, _always_ $c_d$.\n", ended=True)
    view = prose(body, qtbot)
    assert view.toPlainText() == "The area is \ufffc, always \ufffc."
    cursor = QTextCursor(view.document())
    cursor.setPosition(len("The area is \ufffc"))
    assert cursor.charFormat().objectType() == OBJECT


def test_a_displayed_formula_stands_alone_and_centred(body: AnswerBody, qtbot: QtBot) -> None:
    body.show_text("So\n\n$$\na = b\n- c\n$$\n\nand $$d$$ too.\n", ended=True)
    assert prose(body, qtbot).toPlainText().split("\n") == ["So", "\ufffc", "and", "\ufffc", "too."]
    assert len(body.text_views) == 1


def test_a_formula_in_a_list_leaves_the_list_whole(body: AnswerBody, qtbot: QtBot) -> None:
    text = "1. One\n\n   \\begin{align}\n   a &= b\n   \\end{align}\n2. Two\n"
    text += "3. \\begin{equation}x\\end{equation}\n4. $$x$$ too\n5. Five\n"
    body.show_text(text, ended=True)
    document = prose(body, qtbot).document()
    assert document.toPlainText().split("\n") == ["One", "\ufffc", "Two", "\ufffc", "\ufffc", "too", "Five"]
    items = document.begin().textList()
    assert [items.item(number).text() for number in range(items.count())] == ["One", "Two", "\ufffc", "\ufffc", "Five"]


def test_a_formula_in_a_quote_is_without_the_signs_of_the_quote() -> None:
    for text in (
        "> So\n>\n> $$\n> a > b\n> - c\n> $$",
        "- > $$\n  > a > b\n  > - c\n  > $$",
        ">> $$\n>>a > b\n>> - c\n>>$$",
    ):
        [formula] = formulas_of(text)
        assert (formula.latex, formula.source) == ("a > b\n- c", "$$\na > b\n- c\n$$")
    assert formulas_of("$$\na\n> b\n$$")[0].latex == "a\n> b"
    assert formulas_of("> So $> 0$")[0].latex == "> 0"


def test_a_mistake_is_shown_as_it_was_written(body: AnswerBody, qtbot: QtBot) -> None:
    body.show_text(r"Broken: $\frac{a_b_$, and **bold**." + "\n", ended=True)
    assert prose(body, qtbot).toPlainText() == r"Broken: $\frac{a_b_$, and bold."
    # So is a formula that is too long to read.
    body.show_text(f"${'x' * (LONGEST + 1)}$\n", ended=True)
    assert "\ufffc" not in prose(body, qtbot).toPlainText()


def test_a_streamed_formula_ends_as_the_whole_one(body: AnswerBody, qtbot: QtBot) -> None:
    text = "Let $x^2$ be\n\n$$\na = b\n\n+ c\n$$\n\nthe end, at last.\n"
    for end in range(1, len(text)):
        body.show_text(text[:end], ended=False)
    body.show_text(text, ended=True)
    wait_until_set(body, qtbot)
    shown = "\n".join(view.toPlainText() for view in body.text_views)
    assert shown == "Let \ufffc be\n\ufffc\nthe end, at last."


def test_a_wide_formula_fits_the_column(body: AnswerBody, qtbot: QtBot) -> None:
    body.show_text("$$" + " + ".join(f"a_{{{n}}}" for n in range(40)) + "$$\n", ended=True)
    view = prose(body, qtbot)
    assert view.document().idealWidth() <= view.viewport().width()


def test_a_selection_copies_formulas_as_they_were_written(body: AnswerBody, qtbot: QtBot) -> None:
    body.show_text("🙂 Let $x^2$ be \\(y\\).\n", ended=True)
    view = prose(body, qtbot)
    assert spoken_text("**So** $a_b$ and _c_.") == "So a_b and c."
    view.selectAll()
    assert view.source_of_selection() == "🙂 Let $x^2$ be \\(y\\)."
    assert view.createMimeDataFromSelection().text() == "🙂 Let $x^2$ be \\(y\\)."
