"""Equations of Office documents and of MathML as LaTeX."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.text.xml_values import is_on, value


class _MathML(NamedTuple):
    """The element of Office for an element of MathML: its name, and the names of its children in order.

    Further children have the last name, too.
    """

    name: str
    children: tuple[str, ...]


# The LaTeX of an element of Office, by its name, and its type or place if that has another form. In braces are its
# children by their names, joined, and its own signs ("chr", "begChr", "endChr").
_FORMS = {
    "f": r"\frac{{{num}}}{{{den}}}",
    "fnoBar": r"{{{num} \atop {den}}}",
    "flin": "{{{num}}}/{{{den}}}",
    "fskw": "{{{num}}}/{{{den}}}",
    "rad": r"\sqrt[{deg}]{{{e}}}",
    "sSup": "{e}^{{{sup}}}",
    "sSub": "{e}_{{{sub}}}",
    "sSubSup": "{e}_{{{sub}}}^{{{sup}}}",
    "sPre": "{{}}_{{{sub}}}^{{{sup}}}{e}",
    "nary": "{chr}_{{{sub}}}^{{{sup}}}{{{e}}}",
    "limits": "{e}_{{{lim}}}",
    "limLow": r"\underset{{{lim}}}{{{e}}}",
    "limUpp": r"\overset{{{lim}}}{{{e}}}",
    "func": "{fName}{{{e}}}",
    "bar": r"\underline{{{e}}}",
    "bartop": r"\overline{{{e}}}",
    "borderBox": r"\boxed{{{e}}}",
    "acc": "{chr}{{{e}}}",
    "groupChr": "{chr}{{{e}}}",
    "d": r"\left{begChr} {e}\right{endChr}",
    "m": r"\begin{{matrix}}{mr}\end{{matrix}}",
    "mr": "{e}",
    "eqArr": r"\begin{{aligned}}{e}\end{{aligned}}",
}
_MATHML = {
    "mfrac": _MathML("f", ("num", "den")),
    "msqrt": _MathML("rad", ("e",)),
    "mroot": _MathML("rad", ("e", "deg")),
    "msub": _MathML("sSub", ("e", "sub")),
    "msup": _MathML("sSup", ("e", "sup")),
    "msubsup": _MathML("sSubSup", ("e", "sub", "sup")),
    "munderover": _MathML("sSubSup", ("e", "sub", "sup")),
    "mover": _MathML("limUpp", ("e", "lim")),
    "munder": _MathML("limLow", ("e", "lim")),
    "mtable": _MathML("m", ("mr",)),
    "mtr": _MathML("mr", ("e",)),
}
# Elements of MathML that are text themselves.
_MATHML_TEXTS = ("mi", "mn", "mo", "mtext", "ms")
_UNSEEN = ("del", "moveFrom", "annotation", "annotation-xml", "mphantom")
# What stands between the children with the same name.
_BETWEEN = {"m": r" \\ ", "mr": " & ", "eqArr": r" \\ "}
# The signs of elements that name none.
_USUAL_SIGNS = {"nary": "∫", "acc": "\u0302", "groupChr": "⏟", "begChr": "(", "endChr": ")", "sepChr": "|"}
# The commands of LaTeX for signs that have one.
_COMMANDS = {
    "∑": "sum",
    "∏": "prod",
    "∫": "int",
    "⏞": "overbrace",
    "⏟": "underbrace",
    "{": "{",
    "}": "}",
    "‖": "|",
    "\u0302": "hat",
    "\u0303": "tilde",
    "\u0304": "bar",
    "\u0305": "bar",
    "\u0307": "dot",
    "\u0308": "ddot",
    "\u030c": "check",
    "\u20d7": "vec",
}
_FUNCTION = re.compile("(arc)?(sin|cos|tan)h?|cot|sec|csc|log|ln|lg|exp|det|dim|ker|gcd|arg|lim|max|min|sup|inf")
_HAS_LIMITS = re.compile(r"\\(lim|max|min|sup|inf|underbrace)|[∑∏∫⋃⋂]")
_IS_LATEX = re.compile(r"[\\^_]")
_ONE_LETTER = re.compile(r".|\\[a-zA-Z]+ ?")
# Signs that mean something in LaTeX, and what is invisible in MathML: a function's application, a product, a comma and
# a sum.
_TEXT = str.maketrans(
    {
        "{": r"\{",
        "}": r"\}",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "\\": r"\backslash ",
        **dict.fromkeys(map(chr, range(0x2061, 0x2065)), ""),
    }
)
# A degree and limits that are not there, and a space that no command needs.
_EMPTY = re.compile(r"(?<=\\sqrt)\[\]|[_^]\{\}|(?<=\\left.) ")


def latex_of(math: Element) -> str:
    """Return a formula of MathML as its author wrote it in LaTeX, if it says so, else from its elements.

    It is between "$" or "$$"; "" if it is empty.
    """
    annotations = (note for note in math.iter("annotation") if "tex" in note.get("encoding", "").lower())
    candidates = [note.text for note in annotations]
    # Some describe a formula in words.
    described = math.get("alttext", "")
    if _IS_LATEX.search(described):
        candidates.append(described)
    candidates += [latex(math), described, math.text]
    formula = " ".join(next(filter(None, candidates), "").split())
    sign = "$$" if math.get("display") == "block" else "$"
    return f"{sign}{formula}{sign}" if formula else ""


def latex(element: Element) -> str:
    """Return the LaTeX of an equation or of a part of it, without what was deleted or is hidden.

    A fraction of Office, `<f><num>1</num><den>2</den></f>`, and one of MathML, `<mfrac><mn>1</mn><mn>2</mn></mfrac>`,
    are `\\frac{1}{2}`.
    """
    if element.tag in _MATHML_TEXTS:
        return _run(element, " ".join((element.text or "").split()).translate(_TEXT))
    if element.tag == "t":
        return (element.text or "").translate(_TEXT)
    math = _MATHML.get(element.tag)
    kind = element.tag if math is None else math.name
    children = _children(element, math)
    whole = "".join(child.latex for child in children)
    if kind == "r":
        return _run(element, whole)
    if kind == "mfenced":
        return _fenced(element, children)
    return _formed(element, kind, children) if kind in _FORMS else whole


class _MathChild(NamedTuple):
    """A child of an element: its name in Office, and its LaTeX."""

    name: str
    latex: str


def _children(element: Element, math: _MathML | None) -> list[_MathChild]:
    """Return the children of an element that are seen; `math` says what they are in MathML."""
    children: list[_MathChild] = []
    for index, child in enumerate(child for child in element if child.tag not in _UNSEEN):
        name = child.tag
        if math is not None:
            name = math.children[min(index, len(math.children) - 1)]
        children.append(_MathChild(name, latex(child)))
    return children


def _formed(element: Element, kind: str, children: list[_MathChild]) -> str:
    """Return the LaTeX of an element that has a form."""
    between = _sign(element, "sepChr") if kind == "d" else _BETWEEN.get(kind, "")
    # Children that are missing are "".
    parts = defaultdict(str, {name: _sign(element, name) for name in ("chr", "begChr", "endChr")})
    for name in {child.name for child in children}:
        parts[name] = between.join(child.latex for child in children if child.name == name).strip()
    if kind == "limLow" and _HAS_LIMITS.match(parts["e"]):
        kind = "limits"
    elif kind in ("sSup", "sSub", "sSubSup") and not _ONE_LETTER.fullmatch(parts["e"]):
        parts["e"] = f"{{{parts['e']}}}"
    variant = f"{kind}{value(element, 'fPr/type')}{value(element, 'barPr/pos')}"
    return _EMPTY.sub("", _FORMS.get(variant, _FORMS[kind]).format_map(parts))


def _fenced(element: Element, children: list[_MathChild]) -> str:
    """Return what is between the brackets of MathML, which may be any signs, and are round without any."""
    inner = element.get("separators", ",").join(child.latex for child in children)
    return f"{element.get('open', '(').translate(_TEXT)}{inner}{element.get('close', ')').translate(_TEXT)}"


def _sign(element: Element, name: str) -> str:
    """Return a sign of an element, as a command if it has one; a delimiter that is not there is "."."""
    sign = _USUAL_SIGNS.get(name, _USUAL_SIGNS.get(element.tag, ""))
    given = element.find(f"{element.tag}Pr/{name}")
    if given is not None:
        sign = given.get("val", "") or "."
    return f"\\{_COMMANDS[sign]}" if sign in _COMMANDS else sign


def _run(element: Element, text: str) -> str:
    """Return the text of a run: nothing if it is hidden, a command for the name of a function, words as such."""
    if is_on(element, "rPr/vanish"):
        return ""
    if _FUNCTION.fullmatch(text):
        return f"\\{text} "
    is_text = element.tag == "mtext" or element.find("rPr/nor") is not None
    return rf"\text{{{text}}}" if is_text else text
