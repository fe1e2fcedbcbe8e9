"""Marks texts that are declared as data and translated where they are shown. This module does not use Qt."""


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """Return the text. Qt's extractor looks for this name; PySide's own function is untyped."""
    return text
