"""Names of elements in Office files, with what ECMA-376, part 3 (Markup Compatibility and Extensibility), says of them.

A program shows nothing of an element in a namespace that it does not know, unless it is told to process its content. Of
several forms of the same content, it shows the first whose namespaces it knows, or else the fallback.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.files.safe_xml import LocalNames

# The name that an element of an unknown namespace gets, and all that is in it.
FOREIGN = "foreign"
# The names of the form that is read, and of the others.
_READ_FORM = "Choice"
_OTHER_FORM = "Fallback"
_COMPATIBILITY = "http://schemas.openxmlformats.org/markup-compatibility/2006"
# The beginnings of the namespaces of Office.
_KNOWN = (
    "http://purl.oclc.org/ooxml/",
    "http://schemas.microsoft.com/office/",
    "http://schemas.openxmlformats.org/",
    "urn:schemas-microsoft-com:",
)


class OfficeNames(LocalNames):
    """Gives elements their names without namespaces, but those that Office does not show the name `FOREIGN`.

    The form of a content that is read is named "Choice" and others "Fallback", whichever they are in the file.
    """

    def __init__(self) -> None:
        super().__init__()
        # The namespaces by their prefixes; None before the root has been read.
        self._namespaces = dict[str, str]()
        self._main: str | None = None
        # What is processed though its namespace is not known: a namespace with a name or "*".
        self._processed = set[tuple[str, str]]()
        # How many elements are open within one that is not shown, with it.
        self._depth = 0
        # For each content with several forms that is open, whether one was read.
        self._has_form = list[bool]()
        # The names of the elements that are open.
        self._open_tags = list[str]()

    def start_ns(self, prefix: str, uri: str) -> None:
        """Remember a namespace; parsers call this."""
        self._namespaces[prefix or ""] = uri

    def start(self, tag: str, attributes: dict[str, str], /) -> Element:
        uri, _, name = tag.removeprefix("{").rpartition("}")
        if self._main is None:
            self._main = uri
        for processed in attributes.get(f"{{{_COMPATIBILITY}}}ProcessContent", "").split():
            prefix, _, processed_name = processed.rpartition(":")
            self._processed.add((self._namespaces.get(prefix, ""), processed_name))
        if uri == _COMPATIBILITY:
            name = self._form(name, attributes)
        is_processed = not self._processed.isdisjoint({(uri, name), (uri, "*")})
        if self._depth or not (self._is_known(uri) or is_processed):
            self._depth += 1
            name = FOREIGN
        elif not self._is_known(uri):
            # Its own name means nothing here.
            name = "processed"
        self._open_tags.append(name)
        return super().start(name, attributes)

    def end(self, tag: str, /) -> Element:
        if self._depth:
            self._depth -= 1
        elif tag == f"{{{_COMPATIBILITY}}}AlternateContent":
            self._has_form.pop()
        return super().end(self._open_tags.pop())

    def _is_known(self, uri: str) -> bool:
        return uri in ("", self._main) or uri.startswith(_KNOWN)

    def _form(self, name: str, attributes: dict[str, str]) -> str:
        """Return the name of an element of markup compatibility: for a form, whether it is the one that is read."""
        if name == "AlternateContent" and not self._depth:
            self._has_form.append(False)
        if name not in (_READ_FORM, _OTHER_FORM) or not self._has_form or self._depth:
            return name
        required = attributes.get("Requires", "").split()
        is_shown = all(self._is_known(self._namespaces.get(prefix, prefix)) for prefix in required)
        is_read = is_shown and not self._has_form[-1]
        self._has_form[-1] = self._has_form[-1] or is_read
        return _READ_FORM if is_read else _OTHER_FORM
