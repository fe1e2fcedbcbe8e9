"""Raised and struck letters of pages are marked, and those that nobody sees are left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

OMITTED = "\n\n[Left out: 1 hidden passage]"


def text_of(page: str, head: str = "") -> str:
    return document_text("a.html", f"<html><head>{head}</head><body>{page}".encode(), 2**20).text


def sheet(rules: str, attributes: str = "") -> str:
    return f"<style {attributes}>{rules}</style>"


@pytest.mark.parametrize(
    ("page", "head", "text"),
    [
        ("10<sup>6</sup>", sheet("sup{vertical-align:baseline;position:relative;top:-.5em}"), "10^6"),
        ("10<span style='Vertical-Align: super'>6</span>", "", "10^6"),
        ("10<span class='a up'>6</span>", sheet("p{} /* { */ .up { vertical-align: super; }"), "10^6"),
        ("10<sup><span style='vertical-align:sub'>6</span></sup>", "", "10_6"),
        ("10<i class=u>6</i> m", sheet(".u{font-size:0.58em;position:relative;top:-0.33em}"), "10^6 m"),
        ("101<i class=u>2</i>", sheet(".u{font-size:58%;position:relative;bottom:-0.3em}"), "101_2"),
        ("10<i class=u>6</i>", sheet(".u{position:relative;top:-1px}"), "106"),
        ("10<i class=u>6</i>", sheet(".u{vertical-align:40%;font-size:70%}"), "10^6"),
        ("101<i class=u>2</i>", sheet(".u{vertical-align:-.2em;font-size:.7em}"), "101_2"),
        ("10<i class=u>6</i>", sheet(".u{vertical-align:.5em}"), "106"),
        ("2<sup>3<sup>2</sup></sup>", "", "2^(3^2)"),
        ("2<sup>x<sup>2</sup>+1</sup> y", "", "2^(x^2+1) y"),
        ("X<sup><sup>TM</sup></sup>", "", "XTM"),
        ("<span style='text-decoration: line-through'>100 <b>EUR</b></span> 80", "", "~~100 EUR~~ 80"),
        ("<i style='text-decoration-line:line-through'>100</i> 80", "", "~~100~~ 80"),
        ("<span class=old>100</span> 80", sheet("span.old, #x{text-decoration:red line-through}"), "~~100~~ 80"),
        ("<p id=x>100<p>80", sheet(".y, #x{text-decoration:line-through}"), "~~100~~\n\n80"),
        ("<s>a<p>b</p>c</s>", "", "~~a~~\n\n~~b~~\n\n~~c~~"),
    ],
    ids=[
        "sheet of sup",
        "super",
        "class",
        "lowered",
        "moved up",
        "moved down",
        "not smaller",
        "share of the line",
        "length below",
        "length of large letters",
        "raised twice",
        "raised twice and more",
        "a mark in two elements",
        "inline",
        "line",
        "rule",
        "id",
        "blocks",
    ],
)
def test_raised_and_struck_letters_are_marked(page: str, head: str, text: str) -> None:
    assert text_of(page, head) == text


WAYS = {
    "no box": "display:none",
    "hidden": "visibility:hidden",
    "clear": "opacity:0",
    "clear, too": "opacity:0.0",
    "no size": "font-size:0",
    "tiny": "font-size:1px",
    "tiny points": "font-size: 1pt !important",
    "tiny share": "font-size:5%",
    "white": "color:#fff",
    "white name": "Color: White",
    "white parts": "color:rgb(255, 255,255)",
    "transparent": "color:transparent",
    "clear colour": "color:rgba(0,0,0,0)",
    "own background": "color:#123456;background:#123456",
    "beside": "position:absolute;left:-9999px",
    "above": "position:fixed;top:-100em",
    "low": "height:0;overflow:hidden;flex:0 0 auto",
    "low, growing": "max-height:0px;overflow:hidden;flex:1",
    "flat": "max-height:0;overflow:hidden",
    "point": "transform:scale(0)",
    "cut": "position:absolute;width:1px;clip:rect(0, 0, 0, 0)",
    "cut, too": "position:absolute;clip-path:inset(50%)",
    "indented": "text-indent:-9999px",
    "contents": "content-visibility:hidden",
    "short for a size": "font:0/0 a",
    "white in hsl": "color:hsl(0, 0%, 100%)",
    "clear hexadecimal": "color:#00000000",
    "clear on a picture": "background-color:blue;color:#12345600",
    "filled with nothing": "-webkit-text-fill-color:transparent",
    "filtered": "filter:blur(1px) opacity(0%)",
    "narrow": "width:0;overflow:hidden",
    "narrow, too": "max-width:0px;overflow-x:clip",
    "low by another name": "block-size:0;overflow-y:hidden",
    "beside by a margin": "margin-left:-9999px",
    "above by a margin": "margin:-200em 0 0",
    "beside by all sides": "position:absolute;inset:0 auto auto -9999px",
    "beside, to the right": "position:fixed;right:-9999px",
    "above the window": "position:fixed;top:-100vh",
    "above the window, too": "position:fixed;bottom:100%",
    "cut without a place": "clip-path:inset(50%)",
    "cut to a point": "clip-path:circle(0)",
    "flat letters": "transform:rotate(3deg) scaleY(0)",
    "scaled": "transform:scale3d(0,1,1)",
    "scaled by a property": "scale:0",
    "turned away": "transform:rotateX(90deg)",
    "matrix": "transform:matrix(0,0,0,0,0,0)",
    "moved": "transform:translate(-9999px, 0)",
    "moved up": "transform:translateY(-200vh)",
    "moved by a property": "translate:-9999px",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_letters_that_nobody_sees_are_left_out_and_counted(way: str) -> None:
    assert text_of(f"<p>Seen<p style='{way}'>x <b>y</b>") == f"Seen{OMITTED}"
    assert text_of("<p>Seen<div class='a b'><p>x", sheet(f"div.b {{{way}}}")) == f"Seen{OMITTED}"
    assert text_of("<p>Seen<em>x</em>", sheet(f"@media screen {{p{{color:red}}}} EM {{{way}}}")) == f"Seen{OMITTED}"


@pytest.mark.parametrize(
    ("page", "head"),
    [
        ("<p style='font-size:0'><span style='font-size:16px'>x", ""),
        ("<p style='visibility:hidden'><b style='visibility:visible'>x", ""),
        ("<p style='opacity:0.5'>x", ""),
        ("<p style='opacity:0.0.0;font-size:1.1.1px;color:rgba(1,2,3,1.2.3);left:;:x'>x", ""),
        ("<p style='opacity:0;transition:opacity 1s'>x", ""),
        ("<p style='left:-9999px'>x", ""),
        ("<table><tr><td style='height:0;max-width:0;overflow:hidden'>x", ""),
        ("<div style='height:0;overflow:hidden;padding-bottom:56%'>x", ""),
        ("<div style='height:0;overflow:hidden;flex:1 1 auto;min-height:0'>x", ""),
        ("<div style='height:0;overflow:hidden;flex-grow:1'>x", ""),
        ("<div style='max-height:0;min-height:3em;overflow:hidden'>x", ""),
        ("<p style='max-height:0;overflow:hidden;transition:max-height 1s'>x", ""),
        ("<p style='text-indent:-2em'>x", ""),
        ("<p style='width:0'>x", ""),
        ("<p style='width:5%;max-height:1%;overflow:hidden'>x", ""),
        ("<p style='margin:;flex:;inset:;height:0;overflow:;scale:;font:'>x", ""),
        ("<p style='width:0;overflow:hidden;padding-left:9em'>x", ""),
        ("<p style='width:0;min-width:9em;overflow:hidden'>x", ""),
        ("<p style='margin-left:-100%;margin-top:-4em'>x", ""),
        ("<p style='margin-top:-9999px;padding-top:9999px'>x", ""),
        ("<p style='transform:translate(-50%,-50%) scale(.5) rotateX(9deg)'>x", ""),
        ("<p style='transform:translateX(-9999px);transition:transform 1s'>x", ""),
        ("<p style='translate:none;scale:1 1;filter:opacity(50%);clip-path:none;clip:auto'>x", ""),
        ("<p style='position:absolute;bottom:100%;left:-100%'>x", ""),
        ("<p style='font:bold 12px/0 a'>x", ""),
        ("<p style='background:linear-gradient(red,blue);background-clip:text'><b style='color:transparent'>x", ""),
        ("<p style='color:transparent;text-shadow:0 0 2px red'>x", ""),
        ("<p style='color:calc(1);width:var(--w);overflow:hidden'>x", ""),
        ("<div style='background:#000'><p style='color:#fff'>x", ""),
        ("<table><tr><td bgcolor=navy><font color=white>x", ""),
        ("<div style='background:url(a.png)'><p style='color:#fff'>x", ""),
        ("<p style='position:absolute;color:#fff'>x", ""),
        ("<p style='color:#fff'>x", "<link rel=stylesheet href=a.css>"),
        ("<p style='color:#fff'>x", sheet("@import 'a.css';")),
        ("<p style='color:#fff'>x", sheet("body{background:#000}")),
        ("<p style='color:transparent;background:linear-gradient(red,blue)'>x", ""),
        ("<p class=a>x", sheet(".a{display:none} .js .a{display:block}")),
        ("<p class=a>x", sheet(".a{opacity:0} .a.shown{opacity:1}")),
        ("<p class=a>x", sheet(".a{display:none} @media (min-width:9px){.a{display:block}}")),
        ("<p class=a>x", sheet(".b .a{display:none} .a:hover{display:none} .a::before{display:none}")),
        ("<p class=a>x", sheet("@media print{.a{display:none}}") + sheet(".a{display:none}", "media=print")),
        ("<p class=a>x", sheet(".a{display:none} p.a{display:block}")),
        ("<p class='b a'>x", sheet(".b{display:none} .a{display:block}")),
        ("<p class=a style='display:block'>x", sheet(".a{display:none}")),
        ("<div class=a><p style='color:#fff'>x", sheet(".b .a{background:#000}")),
        ("<div class=a><p style='color:#fff'>x", sheet(".b > .a{position:absolute}")),
        ("<div style='visibility:hidden'><p class=a>x", sheet(".b .a{visibility:visible}")),
        ("<div style='font-size:0'><p class=a>x", sheet("div > .a{font-size:16px}")),
        ("<p style='color:#fff'><button>x", ""),
        ("x", sheet("body{visibility:hidden;opacity:0}")),
    ],
    ids=[
        "own size",
        "visible",
        "half clear",
        "no numbers",
        "fading in",
        "not placed",
        "high cell",
        "padding",
        "growing",
        "growing, too",
        "least height",
        "unfolding",
        "hanging",
        "overflowing",
        "shares",
        "empty",
        "narrow with padding",
        "least width",
        "in columns",
        "place to jump to",
        "centred",
        "sliding in",
        "nothing special",
        "beside its parent",
        "short for a line",
        "letters of a picture",
        "shadow",
        "not known",
        "dark",
        "dark cell",
        "picture",
        "placed",
        "other sheet",
        "imported sheet",
        "dark page",
        "gradient",
        "below another",
        "by a script",
        "wide windows",
        "not followed",
        "print",
        "heavier rule",
        "later rule",
        "own style",
        "dark below another",
        "placed below another",
        "visible below another",
        "size below another",
        "button",
        "until scripts ran",
    ],
)
def test_letters_that_may_be_seen_are_read(page: str, head: str) -> None:
    assert text_of(page, head) == "x"


def test_pictures_and_formulas_that_are_hidden_are_left_out() -> None:
    math = "<math><mi>a</mi></math>"
    page = (
        f"<p style='visibility:hidden'><img alt=cat><input type=checkbox>{math}</p><p style='font-size:0'><img alt=dog>"
    )
    assert text_of(page) == f"[dog]{OMITTED}"


@pytest.mark.parametrize(
    ("sign", "text", "count"),
    [
        ("<img alt=cat>", "[cat]", "2 hidden passages"),
        ("<input value=5>", "5", "2 hidden passages"),
        ("<math><mi>a</mi></math>", "$a$", "2 hidden passages"),
        ("x<br>", "x", "2 hidden passages"),
        ("<br>", "", "1 hidden passage"),
        ("<img>", "", "1 hidden passage"),
    ],
    ids=["picture", "field", "formula", "words", "line end", "nothing"],
)
def test_what_is_seen_between_hidden_words_separates_their_passages(sign: str, text: str, count: str) -> None:
    hidden = "<b style='color:white'>secret</b>"
    assert text_of(f"<p>{hidden}{sign}{hidden}") == f"{text}\n\n[Left out: {count}]".strip()


@pytest.mark.parametrize(
    "page",
    [
        "<span><span>{}</span><span aria-hidden=true>21y</span></span>",
        "<span><nobr aria-hidden=true>21y</nobr><span>{}</span></span>",
        "<span><span aria-hidden=true>21y</span>{}</span>",
    ],
    ids=["KaTeX", "MathJax", "beside"],
)
def test_a_formula_that_is_drawn_beside_itself_is_read_once(page: str) -> None:
    math = "<math><mi>a</mi></math>"
    assert text_of(f"<p>is {page.format(math)} mg") == "is $a$ mg"
    spoken = "<style>a{position:absolute;clip:rect(1px,1px,1px,1px)}</style>"
    assert text_of(f"<p>is <a>{math}</a>", spoken) == "is $a$"
    assert text_of(f"<p>{math} and <i>so <b aria-hidden=true>on</b></i>") == "$a$ and so on"


def test_a_page_of_many_rules_and_elements_is_read() -> None:
    rules = "".join(f".a{number} > *, .c{number}{{color:red}}" for number in range(2000))
    elements = "".join(f"<p class='c7 a1' id=p{number}>x" for number in range(2000))
    found = document_text("a.html", (sheet(rules) + elements).encode(), 2**20)
    assert found.text.count("x") == 2000
    assert not found.problem


@pytest.mark.parametrize("colour", ["rgba(255,255,255,0)", "rgba(0,0,0,0.0)", "rgb(0 0 0 / 0%)", "transparent"])
def test_a_background_without_opacity_shows_what_is_behind_it(colour: str) -> None:
    page = f'<p>Price</p><p style="background-color:{colour};color:#333">seen</p>'
    white = f'<p style="background-color:{colour};color:#fff">white on white</p>'
    assert text_of(page + white).startswith("Price\n\nseen")
    assert "white on white" not in text_of(page + white)


def test_two_backgrounds_that_differ_hide_nothing() -> None:
    assert "Buy now" in text_of('<p style="background:none;background-color:#036;color:#fff">Buy now</p>')
    head = "<style>p{background:none} .dark{background-color:#000;color:#fff}</style>"
    assert "Buy now" in text_of('<p class="dark">Buy now</p>', head)


def test_sizes_in_shares_of_the_root_hide_nothing() -> None:
    assert text_of("<p>14 pixels</p>", sheet("html{font-size:100px} p{font-size:.14rem}")) == "14 pixels"


@pytest.mark.parametrize(
    ("page", "rules", "text"),
    [
        ("<p class=price><i class=old>9</i> 8", ".price .old{text-decoration:line-through}", "~~9~~ 8"),
        ("<div id=a><p>x <i><b class=b>9</b></i> 8</div>", "#a .b{text-decoration:line-through}", "x ~~9~~ 8"),
        ("<p>x<i class=old>9</i> 8", ".price .old{text-decoration:line-through}", "x9 8"),
        ("<p>x<i class=old>9</i>", ".old{text-decoration:line-through} .y .old{text-decoration:none}", "x~~9~~"),
        ("<p class=y>9", ".y{text-decoration:line-through} body p.y{text-decoration:none}", "9"),
        ("<p>10<i class=u>6</i>", "div .n, p>.u{vertical-align:super}", "10^6"),
        ("<p>10<b><i class=u>6</i></b>", "p > .u{vertical-align:super}", "106"),
        ("<div class=a><div><p>10<i>6</i></div></div>", ".a>div i{vertical-align:super}", "10^6"),
        ("<p>x <span class=gone>y</span>", "p span.gone{display:none}", f"x{OMITTED}"),
        ("<p>x <span class=gone>y</span>", ".shut span.gone{display:none}", "x y"),
        ("<p>x <i class=g>y</i>", ".g{display:none} .open .g{display:inline}", "x y"),
        ("<p>x <i class=g>y</i>", "body i.g{display:none}", f"x{OMITTED}"),
        ("<p class=a>x <i>y</i>", ".a i{color:red} .a i{visibility:hidden}", f"x{OMITTED}"),
    ],
    ids=[
        "within",
        "within an id",
        "elsewhere",
        "other letters elsewhere",
        "counts more",
        "child of several selectors",
        "no child",
        "child, then within",
        "hidden",
        "hidden elsewhere",
        "shown by a script",
        "hidden in a page",
        "two rules",
    ],
)
def test_rules_for_elements_within_others_are_followed(page: str, rules: str, text: str) -> None:
    assert text_of(page, sheet(rules)) == text


def test_what_marks_a_whole_page_hides_nothing_in_it() -> None:
    page = f"<html class=loading><head>{sheet('.loading p{display:none} .loading i{text-decoration:line-through}')}"
    assert document_text("a.html", f"{page}</head><p>x <i>9</i> y".encode(), 2**20).text == "x ~~9~~ y"


def test_rows_of_tables_are_hidden_by_what_is_around_them() -> None:
    rows = "<tr><td>a<td>b<tr class=hidden><td>c<td>d<tr><td>e<td>f"
    found = text_of(f"<table class=x>{rows}</table>", sheet("table.x tr.hidden{display:none}"))
    assert found == f"| a | b |\n| --- | --- |\n| e | f |{OMITTED}"


def test_a_selector_of_many_elements_within_each_other_takes_no_longer() -> None:
    """Compared in all ways in which 60 elements may be these 30, it would take for ever."""
    page = "<div>" * 60 + "<p>x<i>y</i>"
    assert (
        text_of(page, sheet("div " * 30 + "i{display:none}" + "b " + "div " * 30 + "p{visibility:hidden}"))
        == f"x{OMITTED}"
    )


def test_a_page_with_too_many_elements_and_rules_is_read_as_if_its_sheet_was_missing() -> None:
    rules = "".join(f".x i.a{{top:{number}px}}" for number in range(2600)) + ".a{text-decoration:line-through}"
    page = "<b style='color:#fff'>seen</b>" + "<p class=x><i class=a>x</i>" * 4000
    found = document_text("a.html", (sheet(rules) + page).encode(), 2**20)
    assert found.text == "\n\n".join(["seen", *["x"] * 4000])
    assert not found.problem
