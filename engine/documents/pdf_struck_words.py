"""The struck words in the text of a PDF page, which `pdf_strikes` has marked: they get the marks of Markdown.

Without pypdf, which is imported only when a PDF is read.
"""

from __future__ import annotations

# Stands before and after struck words in what pypdf reads. No text has it; pypdf takes it for a sign without direction.
STRUCK = "\u206a"


def with_struck_words(content: str) -> str:
    """Return a page's text with the marks of Markdown around struck words, without spaces at their ends."""
    parts = content.split(STRUCK)
    if len(parts) % 2 == 0:
        # What ends the last words is missing.
        return "".join(parts)
    # Struck parts stand between others. What nothing or only spaces parts belongs together.
    words: list[str] = [parts[0]]
    for struck, after in zip(parts[1::2], parts[2::2], strict=True):
        if len(words) > 1 and not words[-1].strip(" "):
            words[-2:] = [words[-2] + words[-1] + struck, after]
        else:
            words += [struck, after]
    return "".join(_marked(part) if index % 2 else part for index, part in enumerate(words))


def _marked(words: str) -> str:
    """Return struck words with marks; their spaces stand outside."""
    plain = words.strip()
    before, _, after = words.partition(plain) if plain else (words, "", "")
    return f"{before}~~{plain}~~{after}" if plain else words
