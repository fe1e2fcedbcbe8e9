"""Equations of Office documents as LaTeX."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from xml.etree.ElementTree import Element

from engine.documents.zipped_parts import value

# What an element is, by its tag and its type or place: its children by their tags, joined, and its own signs.
_FORMS = {"f": r"\frac{{{num}}}{{{den}}}", "fnoBar": r"{{{num} \atop {den}}}", "rad": r"\sqrt[{deg}]{{{e}}}"}
_FORMS |= dict.fromkeys(("flin", "fskw"), "{{{num}}}/{{{den}}}")
_FORMS |= {"sSup": "{e}^{{{sup}}}", "sSub": "{e}_{{{sub}}}", "sSubSup": "{e}_{{{sub}}}^{{{sup}}}"}
_FORMS |= {"sPre": "{{}}_{{{sub}}}^{{{sup}}}{e}", "nary": "{chr}_{{{sub}}}^{{{sup}}}{{{e}}}", "limits": "{e}_{{{lim}}}"}
_FORMS |= {"func": "{fName}{{{e}}}", "limLow": r"\underset{{{lim}}}{{{e}}}", "limUpp": r"\overset{{{lim}}}{{{e}}}"}
_FORMS |= {"bar": r"\underline{{{e}}}", "bartop": r"\overline{{{e}}}", "borderBox": r"\boxed{{{e}}}"}
_FORMS |= {"acc": "{chr}{{{e}}}", "groupChr": "{chr}{{{e}}}", "d": r"\left{begChr} {e}\right{endChr}", "mr": "{e}"}
_FORMS |= {"m": r"\begin{{matrix}}{mr}\end{{matrix}}", "eqArr": r"\begin{{aligned}}{e}\end{{aligned}}"}
_BETWEEN = {"m": r" \\ ", "mr": " & ", "eqArr": r" \\ "}
# The signs of elements that name none, and the commands for those that have one.
_USUAL = {"nary": "∫", "acc": "\u0302", "groupChr": "⏟", "begChr": "(", "endChr": ")", "sepChr": "|"}
_COMMANDS = {"∑": "sum", "∏": "prod", "∐": "coprod", "⋃": "bigcup", "⋂": "bigcap", "∫": "int", "∬": "iint"}
_COMMANDS |= {"∭": "iiint", "∮": "oint", "⏞": "overbrace", "⏟": "underbrace", "{": "{", "}": "}", "‖": "|"}
_COMMANDS |= {"⌊": "lfloor", "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil", "⟨": "langle", "⟩": "rangle"}
_COMMANDS |= {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot"}
_COMMANDS |= {"\u0308": "ddot", "\u030c": "check", "\u20d7": "vec"}
_FUNCTION = re.compile("(arc)?(sin|cos|tan)h?|cot|sec|csc|log|ln|lg|exp|det|dim|ker|gcd|arg|lim|max|min|sup|inf")
_HAS_LIMITS = re.compile(r"\\(lim|max|min|sup|inf|underbrace)")
_ONE_LETTER = re.compile(r".|\\[a-zA-Z]+")
_STYLES = {"double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak"}
_LETTERS = {"∞": "infty", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "±": "pm", "×": "times", "⋅": "cdot"}
_LETTERS |= {"·": "cdot", "÷": "div", "→": "rightarrow", "⇒": "Rightarrow", "∂": "partial", "∇": "nabla", "∈": "in"}
_LETTERS |= {"∀": "forall", "∃": "exists", "∪": "cup", "∩": "cap", "⊂": "subset", "∅": "emptyset", "\\": "backslash"}
for _letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ":
    # Unicode writes lambda without its b.
    _name = unicodedata.name(_letter).rpartition(" ")[2].replace("LAMDA", "LAMBDA")
    _LETTERS[_letter] = _name.title() if _letter.isupper() else _name.lower()
_TEXT = str.maketrans({sign: f"\\{sign}" for sign in "{}%$#_"} | {one: f"\\{name} " for one, name in _LETTERS.items()})
# A degree and limits that are not there, and a space that no command needs.
_EMPTY = re.compile(r"(?<=\\sqrt)\[\]|[_^]\{\}|(?<=\\left.) ")


def latex(element: Element) -> str:
    """Return the LaTeX of an equation or of a part of it, without what was deleted or is hidden."""
    kind = element.tag
    if kind == "t":
        return (element.text or "").translate(_TEXT)
    children = [(one.tag, latex(one)) for one in element if one.tag not in ("del", "moveFrom")]
    whole = "".join(text for _, text in children)
    if kind == "r":
        return _run(element, whole)
    if kind not in _FORMS:
        return whole
    between = _sign(element, "sepChr") if kind == "d" else _BETWEEN.get(kind, "")
    parts = defaultdict(str, {name: _sign(element, name) for name in ("chr", "begChr", "endChr")})
    for tag in {tag for tag, _ in children}:
        parts[tag] = between.join(text for name, text in children if name == tag).strip()
    if kind == "limLow" and _HAS_LIMITS.match(parts["e"]):
        kind = "limits"
    elif kind in ("sSup", "sSub", "sSubSup") and not _ONE_LETTER.fullmatch(parts["e"]):
        parts["e"] = f"{{{parts['e']}}}"
    form = _FORMS.get(kind + value(element, "fPr/type") + value(element, "barPr/pos"), _FORMS[kind])
    return _EMPTY.sub("", form.format_map(parts))


def _sign(element: Element, name: str) -> str:
    """Return a sign of an element, as a command if it has one; a delimiter that is not there is "."."""
    found = element.find(f"{element.tag}Pr/{name}")
    sign = _USUAL.get(name, _USUAL.get(element.tag, "")) if found is None else found.get("val", "") or "."
    return f"\\{_COMMANDS[sign]}" if sign in _COMMANDS else sign


def _run(element: Element, text: str) -> str:
    if element.find("rPr/vanish") is not None:
        return ""
    if _FUNCTION.fullmatch(text):
        return f"\\{text} "
    style = "text" if element.find("rPr/nor") is not None else _STYLES.get(value(element, "rPr/scr"))
    return rf"\{style}{{{text}}}" if style else text
