"""Text that grows in a terminal: as it comes, or as Markdown whose last block is drawn anew."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, TextIO

from app.cli.terminal import shown, terminal_of

if TYPE_CHECKING:
    from rich.live import Live
    from rich.segment import Segment

# Seconds between two drawings of a block, which may come with every token.
_DRAW_EVERY_S = 0.08
# The beginning of a line that defines an address or a footnote.
_DEFINITION = re.compile(r"^([ \t>*+\d.)-]*)\[(?=[^\[\]]+\]:)")


class UnchangedText:
    """Writes a text unchanged, for pipes, files and terminals that only take letters."""

    has_colours = False

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str, _roles: Sequence[str] = ()) -> None:
        print(text, end="", file=self._stream, flush=True)

    def pause(self) -> None:
        """Leave the terminal as other programs expect it, until more text comes."""

    def end(self) -> None:
        print(file=self._stream, flush=True)


class MarkdownText:
    """Draws Markdown, with words wrapped at the terminal's width.

    Blocks that are complete are printed once. The look of the last block can change with each token, so it is
    erased and drawn again; of one that is higher than the screen, the end is shown until it is complete.

    A tool's result that a model repeats is one line, see folded_results.py.

    Definitions of addresses and footnotes are shown where they stand, because what refers to them is printed before
    they come.

    From the first letter on that has a role with a colour, letters have the colours of their roles, and Markdown has no
    colours of its own. `has_colours` says whether the terminal shows them, which its owner can decline (NO_COLOR).
    """

    def __init__(self, stream: TextIO, style: str = "") -> None:
        from rich.console import Console

        from app.cli.tinted_markdown import markdown_theme

        self._console = Console(file=terminal_of(stream), highlight=False)
        self._console.push_theme(markdown_theme(self._console, is_tinted=False))
        self._tinted_theme = markdown_theme(self._console, is_tinted=True)
        self.has_colours = self._console.color_system is not None and not self._console.no_color
        self._style = style
        self._live: Live | None = None
        self._block = ""
        self._printed = False
        self._drawn_at = 0.0
        # The role of each character of the block.
        self._roles: list[str] = []
        self._is_tinted = False

    def write(self, text: str, roles: Sequence[str] = ()) -> None:
        """Add text, with the role of each of its characters, or of none of them.

        The roles are results of `app.wording.sources.role_of`, and "" for letters without a colour.
        """
        shown_roles = [role for letter, role in zip_longest(text, roles, fillvalue="") if shown(letter)]
        if any(shown_roles) and not self._is_tinted:
            self._is_tinted = True
            self._console.push_theme(self._tinted_theme)
        self._roles += shown_roles
        self._block += shown(text)
        # Not at every token: a long block is parsed and drawn as a whole.
        if time.monotonic() - self._drawn_at >= _DRAW_EVERY_S:
            self._print_complete(ended=False)
            self._draw()

    def pause(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def end(self) -> None:
        """Print the text that is left."""
        self._print_complete(ended=True)
        self._print(len(self._block))
        self._printed = False

    def _print_complete(self, *, ended: bool) -> None:
        """Print the blocks before the last one, and keep that.

        Unless the text has `ended`, an incomplete line begins no block: a number may become an item of the list above
        it, and dashes the line below the head of a table.
        """
        from app.cli.answer_markdown import parse_answer

        lines_end = len(self._block) if ended else self._block.rfind("\n") + 1
        tokens = parse_answer(self._block[:lines_end], references=False, goes_on=not ended)
        starts = [token.map[0] for token in tokens if token.level == 0 and token.map and token.nesting >= 0]
        lengths = [len(line) + 1 for line in self._block.split("\n")]
        for first, after in pairwise([0, *starts[1:]]):
            self._print(sum(lengths[first:after]))

    def _draw(self) -> None:
        from rich.live import Live
        from rich.segment import SegmentLines

        if self._live is None:
            # One that has stopped would move the cursor up as far as it did before.
            self._live = Live(console=self._console, auto_refresh=False, transient=True, redirect_stdout=False)
            self._live.start()
        shown_lines = self._lines(self._block, self._roles, goes_on=True)[-max(1, self._console.height - 2) :]
        self._live.update(SegmentLines(shown_lines, new_lines=True), refresh=True)
        self._drawn_at = time.monotonic()

    def _print(self, length: int) -> None:
        """Print the text up to that length, and keep the rest."""
        from rich.segment import SegmentLines

        self.pause()
        if lines := self._lines(self._block[:length], self._roles[:length], goes_on=False):
            self._console.print(SegmentLines(lines, new_lines=True), end="")
            self._printed = True
        self._block = self._block[length:]
        del self._roles[:length]

    def _lines(self, text: str, roles: Sequence[str], *, goes_on: bool) -> list[list[Segment]]:
        """Return the lines of a text without empty ones around it, below one that parts it from the printed lines.

        `goes_on` says that more text may come.
        """
        from app.cli.tinted_markdown import TintedMarkdown

        markup = _with_definitions(text, goes_on=goes_on)
        options = {"code_theme": "ansi_light", "style": self._style}
        markdown = TintedMarkdown(markup, text, roles, goes_on=goes_on, **options)
        lines = self._console.render_lines(markdown, pad=False)
        # Markdown turns the characters that an address or `&#x202e;` spells out into themselves.
        lines = [[segment._replace(text=shown(segment.text)) for segment in line] for line in lines]
        filled = [number for number, line in enumerate(lines) if any(segment.text.strip() for segment in line)]
        if not filled:
            return []
        filled_lines = lines[filled[0] : filled[-1] + 1]
        return [[], *filled_lines] if self._printed else filled_lines


def _with_definitions(text: str, *, goes_on: bool) -> str:
    """Return Markdown in which definitions are words, so that they are shown; `goes_on` as in `parse_answer`."""
    from app.cli.answer_markdown import parse_answer

    lines = text.split("\n")
    for token in parse_answer(text, references=False, goes_on=goes_on):
        if token.type == "inline" and token.map:
            for number in range(*token.map):
                lines[number] = _DEFINITION.sub(r"\1\\[", lines[number])
    return "\n".join(lines)


def growing_text(stream: TextIO, style: str = "") -> UnchangedText | MarkdownText:
    """Return what shows a growing text on `stream`, in a style of rich on a terminal that can do it."""
    if not stream.isatty():
        return UnchangedText(stream)
    from rich.console import Console

    return UnchangedText(stream) if Console(file=terminal_of(stream)).is_dumb_terminal else MarkdownText(stream, style)
