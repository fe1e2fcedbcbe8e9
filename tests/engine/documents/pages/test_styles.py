"""Style sheets and attributes are read by the standards of CSS: what they hide is left out and counted."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text

OMITTED = "\n\n[Left out: 1 hidden passage]"


def text_of(sheet: str, element: str = "<p class=h x-cloak>Unseen</p>", head: str = "") -> str:
    page = f"<head>{head}<style>{sheet}</style></head><body><div id=d><p class=s>Seen</p>{element}</div>"
    return document_text("a.html", page.encode(), 2**20).text


# Ways in which a sheet may hide the second paragraph, by the standard that has them.
SHEETS = {
    "Syntax: comments": ".h/**/{/* } */display:/**/none/**/}",
    "Syntax: marks of HTML": "<!-- .h { display: none } -->",
    "Syntax: escapes of a property": ".h{d\\69splay:none}",
    "Syntax: escapes of a value": ".h{display:n\\00006fne}",
    "Syntax: escapes of a name": ".\\68{display:none}",
    "Syntax: escapes of a tag": "\\70 .h{display:none}",
    "Syntax: capitals": "P.h{DISPLAY:NONE}",
    "Syntax: a string with braces": ".s{quotes:'}' '{'} .h{display:none}",
    "Syntax: what is not understood": ".h{;x;*zoom:1;display:none}",
    "Syntax: an end that is missing": ".h{display:none",
    "Cascade: importance": ".h{display:none ! important} .h{display:block}",
    "Cascade: importance over heavier rules": ".h{display:none!important} #d p.h{display:block}",
    "Cascade: layers": "@layer a{.h{display:none}}",
    "Cascade: rules over layers": ".h{display:none} @layer a{#d .h{display:block}}",
    "Nesting": "#d{color:black; .h{display:none}}",
    "Nesting by a sign": "#d{& > .h{display:none}}",
    "Media: a screen": "@media screen{.h{display:none}}",
    "Media: any": "@media only all{.h{display:none}}",
    "Media: one of several": "@media print, screen{.h{display:none}}",
    "Media: each window": "@media screen and (min-width: 1px){.h{display:none}}",
    "Selectors: child": "#d>p.h{display:none}",
    "Selectors: next": ".s+p{display:none}",
    "Selectors: following": ".s ~ p{display:none}",
    "Selectors: attribute": "[class='h']{display:none}",
    "Selectors: not": "p:not(.s){display:none}",
    "Selectors: not of an attribute": "p:not([class=s]){display:none}",
    "Selectors: any of some": ":is(.h, .i){display:none}",
    "Selectors: where": "p:where(.h){display:none}",
    "Selectors: place": "p:nth-child(2n + 2){display:none}",
    "Selectors: last": "p:last-child{display:none}",
    "Selectors: namespaces": "*|p.h{display:none}",
    "Selectors: one of several": ".y, .h, .z{display:none}",
}


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_what_a_sheet_hides_is_left_out_and_counted(sheet: str) -> None:
    assert text_of(sheet) == f"Seen{OMITTED}"


# Sheets that hide it at other places or times, or until somebody or a script does something.
SHOWN = {
    "unimportant": ".h{display:none} .h{display:block!important}",
    "own importance": "p.h{display:none!important} #d .h{display:block!important}",
    "layer below a rule": "@layer a{#d .h{display:none}} .h{display:block}",
    "print": "@media print{.h{display:none}}",
    "narrow windows": "@media (max-width:600px){.h{display:none}}",
    "wide windows": "@media screen and (min-width:600px){.h{display:none}}",
    "what a browser supports": "@supports not (display:grid){.h{display:none}}",
    "scope": "@container (width>1px){.h{display:none}}",
    "comment": "/* .h{display:none} */",
    "string": ".s::after{content:'.h{display:none}'}",
    "pseudo-element": ".h::first-line{display:none}",
    "pointed at": ".h:hover{display:none}",
    "shown when pointed at": ".h{display:none} #d:hover .h{display:block}",
    "shown when checked": ".h{display:none} input:checked + .h{display:block}",
    "until scripts ran": "[x-cloak]{display:none}",
    "not so nested": ".h{.h{display:none}}",
    "not in its place": "p:nth-child(3){display:none}",
    "damaged": ".h..{display:none} .h:not({display:none}",
    "brackets": ".s{content:" + "(" * 50_000 + "} .h{display:none}",
}


@pytest.mark.parametrize("sheet", SHOWN.values(), ids=SHOWN)
def test_what_a_sheet_may_show_is_read(sheet: str) -> None:
    assert text_of(sheet) == "Seen\n\nUnseen"


def test_what_a_script_shows_by_a_mark_of_the_page_is_read() -> None:
    """As tabs do of which one is chosen."""
    hides = "p:not(.s){display:none}"
    assert text_of(hides) == f"Seen{OMITTED}"
    assert text_of(hides, head="<script src=tabs.js></script>") == "Seen\n\nUnseen"


# Ways of HTML's own.
ELEMENTS = {
    "hidden": "<p hidden>Unseen",
    "hidden until it is found": "<p hidden=until-found>Unseen",
    "popover": "<p popover>Unseen",
    "popover of a script": "<p popover=manual>Unseen",
    "dialog": "<dialog>Unseen</dialog>",
    "escapes in an attribute": "<p style='d\\69splay:/**/none'>Unseen",
    "importance in an attribute": "<p style='display:none!important;display:block'>Unseen",
}


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_what_an_attribute_hides_is_left_out_and_counted(element: str) -> None:
    assert text_of("", element) == f"Seen{OMITTED}"


@pytest.mark.parametrize("tag", ["audio", "canvas", "noembed", "noframes", "video", "iframe", "object", "template"])
def test_words_for_browsers_without_an_element_are_left_out(tag: str) -> None:
    assert text_of("", f"<{tag}>Unseen</{tag}>") == "Seen"


def test_an_open_dialog_is_read() -> None:
    assert text_of("", "<dialog open>Unseen</dialog>") == "Seen\n\nUnseen"


def test_an_important_rule_holds_over_an_attribute() -> None:
    assert text_of(".h{display:none!important}", "<p class=h style='display:block'>Unseen") == f"Seen{OMITTED}"
    assert text_of(".h{display:none}", "<p class=h style='display:block'>Unseen") == "Seen\n\nUnseen"


@pytest.mark.parametrize("rule", ["a,b{", "& & &{"])
def test_rules_within_rules_of_many_selectors_take_no_memory(rule: str) -> None:
    assert text_of("p{" + rule * 300 + "color:red") == "Seen\n\nUnseen"
