"""MathML as LaTeX, by way of the elements that equations of Office documents have."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from engine.documents.equations import latex

# The element of an Office document for each, and the names of its parts in order; without these the children stay.
_KINDS = {
    "mfrac": ("f", ("num", "den")),
    "mroot": ("rad", ("e", "deg")),
    "msub": ("sSub", ("e", "sub")),
    "msup": ("sSup", ("e", "sup")),
    "msubsup": ("sSubSup", ("e", "sub", "sup")),
    "munderover": ("sSubSup", ("e", "sub", "sup")),
    "mover": ("limUpp", ("e", "lim")),
    "munder": ("limLow", ("e", "lim")),
    "mtable": ("m", ()),
    "mtr": ("mr", ()),
    "mtd": ("e", ()),
}
# What is invisible: a function's application, a product, a comma and a sum.
_UNSEEN = dict.fromkeys(range(0x2061, 0x2065))


def latex_of(math: Element) -> str:
    """Return a formula as its author wrote it in LaTeX, if it says so, else from its elements."""
    notes = [one.text for one in math.iter("annotation") if "tex" in one.get("encoding", "").lower() and one.text]
    # Some describe a formula in words.
    described = math.get("alttext", "")
    if not notes and len(math) and not any(sign in described for sign in r"\^_"):
        notes = [latex(_equation(math))]
    found = " ".join((next(filter(None, notes), "") or described or math.text or "").split())
    sign = "$$" if math.get("display") == "block" else "$"
    return f"{sign}{found}{sign}" if found else ""


def _equation(element: Element) -> Element:
    if element.tag in ("mi", "mn", "mo", "mtext", "ms"):
        run = Element("r")
        if element.tag == "mtext":
            SubElement(SubElement(run, "rPr"), "nor")
        SubElement(run, "t").text = " ".join("".join(element.itertext()).split()).translate(_UNSEEN)
        return run
    if element.tag == "mfenced":
        return _delimited(element)
    children = [one for one in element if one.tag not in ("annotation", "annotation-xml", "mphantom")]
    kind, names = _KINDS.get(element.tag, ("box", ()))
    if kind == "limLow" and children and children[0].tag == "mo":
        kind = "limits"
    equation = Element("rad" if element.tag == "msqrt" else kind)
    around = SubElement(equation, "e") if element.tag == "msqrt" else equation
    for index, one in enumerate(children):
        (SubElement(around, names[index]) if index < len(names) else around).append(_equation(one))
    return equation


def _delimited(element: Element) -> Element:
    equation = Element("d")
    signs = SubElement(equation, "dPr")
    for name, given, usual in (("begChr", "open", "("), ("endChr", "close", ")"), ("sepChr", "separators", ",")):
        SubElement(signs, name, val=element.get(given, usual))
    for one in element:
        SubElement(equation, "e").append(_equation(one))
    return equation
