"""MathML as LaTeX, which models read and write."""

from __future__ import annotations

from xml.etree.ElementTree import Element

_FUNCTIONS = "arccos arcsin arctan cos cosh cot csc det exp gcd inf lim ln log max min sec sin sinh sup tan tanh"
# What is invisible: a function's application, a product, a comma and a sum.
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))
# The form of each element by its children's LaTeX; a child that is missing is empty.
_FORMS = {
    "mfrac": r"\frac{{{0}}}{{{1}}}",
    "mroot": r"\sqrt[{1}]{{{0}}}",
    "msub": "{0}_{{{1}}}",
    "msup": "{0}^{{{1}}}",
    "msubsup": "{0}_{{{1}}}^{{{2}}}",
    "munderover": "{0}_{{{1}}}^{{{2}}}",
}
_STACKED = {
    "mover": (r"\overset{{{1}}}{{{0}}}", _FORMS["msup"]),
    "munder": (r"\underset{{{1}}}{{{0}}}", _FORMS["msub"]),
}
_LEFT_OUT = ("annotation", "annotation-xml", "mphantom")


def latex_of(math: Element) -> str:
    """Return a formula as its author wrote it in LaTeX, if it says so, else from its elements."""
    for note in math.iter("annotation"):
        if "tex" in note.get("encoding", "").lower() and (written := (note.text or "").strip()):
            return _in_signs(math, written)
    described = math.get("alttext", "").strip()
    # Others describe a formula in words.
    if any(sign in described for sign in r"\^_") or not len(math):
        return _in_signs(math, described or (math.text or "").strip())
    try:
        return _in_signs(math, _latex(math) or described)
    except RecursionError:
        return " ".join("".join(math.itertext()).split())


def _in_signs(math: Element, latex: str) -> str:
    sign = "$$" if math.get("display") == "block" else "$"
    return f"{sign}{latex}{sign}" if latex else ""


def _latex(element: Element) -> str:
    tag, children = element.tag, [one for one in element if one.tag not in _LEFT_OUT]
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        return _letters(tag, " ".join("".join(element.itertext()).split()).translate(_UNSEEN))
    parts = [_latex(one) for one in children]
    if tag == "mtable":
        rows = r" \\ ".join(parts)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}"
    if tag == "mtr":
        return " & ".join(parts)
    if tag == "mfenced":
        separator = element.get("separators", ",")[:1]
        return f"{element.get('open', '(')}{separator.join(parts)}{element.get('close', ')')}"
    if tag in _STACKED and parts:
        is_limit = children[0].tag == "mo" or parts[0].startswith((r"\lim", r"\max", r"\min", r"\sup", r"\inf"))
        return _STACKED[tag][is_limit].format(*parts, "")
    if tag in _FORMS:
        # What is raised or lowered belongs to all of its base.
        if tag.startswith("ms") and children and len(children[0]):
            parts[0] = f"{{{parts[0]}}}"
        return _FORMS[tag].format(*parts, "", "", "")
    whole = "".join(parts)
    return rf"\sqrt{{{whole}}}" if tag == "msqrt" else whole


def _letters(tag: str, letters: str) -> str:
    if tag == "mtext":
        return rf"\text{{{letters}}}" if letters else ""
    if letters in _FUNCTIONS.split():
        return rf"\{letters} "
    if tag == "mi" and len(letters) > 1:
        return rf"\mathrm{{{letters}}}"
    return f"\\{letters}" if letters in ("{", "}", "%", "&", "#", "$") else letters
