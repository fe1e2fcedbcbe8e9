"""A chat as one HTML file that stands alone: all of it escaped, nothing fetched, formulas set, for light and dark."""

from __future__ import annotations

import re
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from app.chat.formulas import find_formulas
from app.conversations.exports.mathml import as_mathml

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.conversations.exports.labels import Labels
    from app.conversations.records import Conversation, Message

# The policy forbids every request, should a reader's browser ever find one to make.
_PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --shade: #8881; }}
body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
article {{ border-top: 1px solid var(--line); padding: 1rem 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 0.875rem; font-weight: 600; margin: 0 0 0.5rem; opacity: 0.75; }}
.text {{ white-space: pre-wrap; }}
pre {{ background: var(--shade); border-radius: 6px; padding: 0.75rem; overflow-x: auto; }}
code {{ font: 0.875rem/1.5 ui-monospace, monospace; }}
math {{ font-size: 1.1em; }}
math[display="block"] {{ margin: 0.75rem 0; white-space: normal; }}
.note {{ font-style: italic; opacity: 0.75; }}
</style>
</head>
<body>
<h1>{title}</h1>
{articles}
</body>
</html>
"""
_FENCE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)", re.M | re.S
)


def as_html(conversation: Conversation, path: Sequence[Message], labels: Labels) -> str:
    """`path` is what the chat shows."""
    articles = []
    if conversation.system_prompt:
        articles.append(_article("system", escape(labels.system), _body(conversation.system_prompt)))
    articles += [_article(message.role, _heading(message, labels), _message(message, labels)) for message in path]
    title = escape(conversation.title or labels.untitled)
    return _PAGE.format(title=title, articles="\n".join(articles))


def _article(role: str, heading: str, body: str) -> str:
    return f'<article class="{role}">\n<h2>{heading}</h2>\n{body}\n</article>'


def _heading(message: Message, labels: Labels) -> str:
    when = datetime.fromtimestamp(message.created_at)
    models = " + ".join(name for name in (message.source.main_model, message.source.draft_model) if name)
    words = " · ".join(escape(part) for part in (labels.of_role(message.role), models) if part)
    return f'{words} · <time datetime="{when.isoformat()}">{when:%Y-%m-%d %H:%M}</time>'


def _message(message: Message, labels: Labels) -> str:
    parts = [
        f'<p class="note">{escape(attachment.name)}</p>\n<pre><code>{escape(attachment.text)}</code></pre>'
        for attachment in message.attachments
    ]
    parts.append(_body(message.content, with_formulas=message.role == "assistant"))
    if note := labels.of_state(message.state):
        parts.append(f'<p class="note">{escape(note)}</p>')
    return "\n".join(parts)


def _body(text: str, with_formulas: bool = False) -> str:
    """The text as it was written, with fenced code in boxes of its own. A person's dollar signs stay what they are."""
    parts = []
    place = 0
    for block in _FENCE.finditer(text):
        prose = _prose(text[place : block.start()], with_formulas)
        parts += [prose, f"<pre><code>{escape(block['code'])}</code></pre>"]
        place = block.end()
    return "\n".join(part for part in (*parts, _prose(text[place:], with_formulas)) if part)


def _prose(text: str, with_formulas: bool) -> str:
    text = text.strip("\n")
    if not text:
        return ""
    return f'<div class="text">{_with_math(text) if with_formulas else escape(text)}</div>'


def _with_math(text: str) -> str:
    """Escaped, with the formulas that can be set in the places of their sources."""
    parts, place = [], 0
    for start, end, formula in find_formulas(text):
        if (math := as_mathml(formula)) is None:
            continue
        before = text[place:start]
        # The lines' ends around a formula that stands alone would be empty lines.
        parts += [escape(before.removesuffix("\n") if formula.display else before), math]
        place = end + (formula.display and text[end : end + 1] == "\n")
    return "".join([*parts, escape(text[place:])])
