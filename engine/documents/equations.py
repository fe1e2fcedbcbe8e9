"""Equations of Office documents and of MathML as LaTeX."""

from __future__ import annotations

import re
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
# The element that one of MathML is, and its children in order.
_MATHML = {"mfrac": ("f", "num", "den"), "msqrt": ("rad", "e"), "mroot": ("rad", "e", "deg"), "mtable": ("m", "mr")}
_MATHML |= {"msub": ("sSub", "e", "sub"), "msup": ("sSup", "e", "sup"), "mtr": ("mr", "e")}
_MATHML |= dict.fromkeys(("msubsup", "munderover"), ("sSubSup", "e", "sub", "sup"))
_MATHML |= {"mover": ("limUpp", "e", "lim"), "munder": ("limLow", "e", "lim")}
_UNSEEN = ("del", "moveFrom", "annotation", "annotation-xml", "mphantom")
_BETWEEN = {"m": r" \\ ", "mr": " & ", "eqArr": r" \\ "}
# The signs of elements that name none, and the commands for those that have one.
_USUAL = {"nary": "∫", "acc": "\u0302", "groupChr": "⏟", "begChr": "(", "endChr": ")", "sepChr": "|"}
_COMMANDS = {"∑": "sum", "∏": "prod", "∫": "int", "⏞": "overbrace", "⏟": "underbrace", "{": "{", "}": "}", "‖": "|"}
_COMMANDS |= {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot"}
_COMMANDS |= {"\u0308": "ddot", "\u030c": "check", "\u20d7": "vec"}
_FUNCTION = re.compile("(arc)?(sin|cos|tan)h?|cot|sec|csc|log|ln|lg|exp|det|dim|ker|gcd|arg|lim|max|min|sup|inf")
_HAS_LIMITS = re.compile(r"\\(lim|max|min|sup|inf|underbrace)|[∑∏∫⋃⋂]")
_IS_LATEX = re.compile(r"[\\^_]")
_ONE_LETTER = re.compile(r".|\\[a-zA-Z]+ ?")
# Signs of LaTeX, and what is invisible in MathML: a function's application, a product, a comma and a sum.
_TEXT = str.maketrans({sign: f"\\{sign}" for sign in ("{", "}", "%", "$", "#", "_")} | {"\\": r"\backslash "})
_TEXT |= dict.fromkeys(range(0x2061, 0x2065), "")
# A degree and limits that are not there, and a space that no command needs.
_EMPTY = re.compile(r"(?<=\\sqrt)\[\]|[_^]\{\}|(?<=\\left.) ")


def latex_of(math: Element) -> str:
    """Return a formula of MathML as its author wrote it in LaTeX, if it says so, else from its elements."""
    said = [one.text for one in math.iter("annotation") if "tex" in one.get("encoding", "").lower()]
    # Some describe a formula in words.
    described = math.get("alttext", "")
    if _IS_LATEX.search(described):
        said.append(described)
    found = next(filter(None, (*said, latex(math), described, math.text)), "")
    sign = "$$" if math.get("display") == "block" else "$"
    return f"{sign}{' '.join(found.split())}{sign}" if found else ""


def latex(element: Element) -> str:
    """Return the LaTeX of an equation or of a part of it, without what was deleted or is hidden."""
    if element.tag in ("mi", "mn", "mo", "mtext", "ms"):
        return _run(element, " ".join((element.text or "").split()).translate(_TEXT))
    if element.tag == "t":
        return (element.text or "").translate(_TEXT)
    kind, *names = _MATHML.get(element.tag, (element.tag,))
    seen = [one for one in element if one.tag not in _UNSEEN]
    children = [(names[min(at, len(names) - 1)] if names else one.tag, latex(one)) for at, one in enumerate(seen)]
    whole = "".join(text for _, text in children)
    if kind == "r":
        return _run(element, whole)
    if kind == "mfenced":
        inner = element.get("separators", ",").join(text for _, text in children)
        return f"{element.get('open', '(').translate(_TEXT)}{inner}{element.get('close', ')').translate(_TEXT)}"
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
    is_text = element.tag == "mtext" or element.find("rPr/nor") is not None
    return rf"\text{{{text}}}" if is_text else text
