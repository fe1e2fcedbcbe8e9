"""Marks texts that are declared as data, so that they are translated where they are shown. No Qt in here."""


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:
    """The text itself; Qt's extractor looks for this name. PySide's own returns an untyped object."""
    return text
