"""Links of documents in Markdown."""

from __future__ import annotations


def linked(words: str, address: str) -> str:
    """Return a link in Markdown; only `words` if they are blank, or the address itself."""
    plain = address.removeprefix("mailto:").removeprefix("tel:")
    one_line = " ".join(words.split())
    is_address = words in (plain, plain.rstrip("/"))
    return words if is_address or not words.strip() else f"[{one_line}]({address})"
