"""Fonts that show signs for letters: a text names a letter, and readers see "≥" or a tick."""

from __future__ import annotations

# What fonts show for letters, which may also be in a range for private use.
_FONTS = {
    "symbol": str.maketrans("DFGLPQSWXYabcdefghiklmnpqrstuwxyz£³´·¸¹®¥", "ΔΦΓΛΠΘΣΩΞΨαβχδεφγηικλμνπθρστυωξψζ≤≥×•÷≠→∞"),
    "wingdings": str.maketrans("þýx¨oqrüûàln§JL", "☑☒☒☐☐☐☐✔✘→●■▪☺☹"),
    "wingdings 2": str.maketrans("RTQ£PO", "☑☒☒☐✓✗"),
}
# The other signs of Symbol, from 0xA1 on; its digits and other signs below are those of all fonts.
_SYMBOL_SIGNS = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑"
_FONTS["symbol"].update({code: ord(sign) for code, sign in enumerate(_SYMBOL_SIGNS, 0xA1)})
for _table in _FONTS.values():
    _table.update([(0xF000 + code, sign) for code, sign in _table.items()])
_FONTS["symbol"].update({0xF000 + code: code for code in range(ord(" "), ord("@"))})


def signs_in(font: str, text: str) -> str:
    """Return a text as the font with a name shows it; as it is for all other fonts."""
    return text.translate(_FONTS.get(font.lower(), {}))
