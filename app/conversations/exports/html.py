"""Exports a chat as one HTML page, with everything escaped, formulas set and nothing fetched, for light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape

from app.conversations.database.records import Attachment, Conversation, Message
from app.conversations.exports.labels import Labels
from app.conversations.exports.rendering import as_html as rendered
from app.conversations.exports.rendering import code_styles
from app.text.picture_data import url_of_picture
from app.text.thinking import parts_of
from app.widgets.colours import dark, light

# The policy forbids every request, in case an address gets past the escaping.
_PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --shade: #8881; }}
body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
article {{ border-top: 1px solid var(--line); padding: 1rem 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 0.875rem; font-weight: 600; margin: 0 0 0.5rem; opacity: 0.75; }}
.text {{ white-space: pre-wrap; }}
.answer > :first-child {{ margin-top: 0; }}
pre {{ background: var(--shade); border-radius: 6px; padding: 0.75rem; overflow-x: auto; }}
code {{ font: 0.875rem/1.5 ui-monospace, monospace; }}
:not(pre) > code {{ background: var(--shade); border-radius: 4px; padding: 0.1rem 0.25rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ border: 1px solid var(--line); padding: 0.375rem 0.75rem; text-align: start; }}
blockquote {{ border-inline-start: 3px solid var(--line); margin-inline: 0; padding-inline-start: 1rem; }}
.answer h1, .answer h2, .answer h3 {{ font-size: 1.125rem; opacity: 1; margin: 1.25rem 0 0.5rem; }}
details {{ margin-bottom: 0.75rem; opacity: 0.75; }}
summary {{ font-size: 0.875rem; cursor: pointer; }}
.answer details {{ border: 1px solid var(--line); border-radius: 6px; padding: 0.375rem 0.75rem; opacity: 1; }}
.answer summary {{ font-size: inherit; font-weight: 600; }}
.markdown-alert {{ border-inline-start: 3px solid currentColor; padding-inline-start: 1rem; margin-bottom: 0.75rem; }}
.markdown-alert-title {{ font-weight: 600; margin: 0; }}
kbd {{ border: 1px solid var(--line); border-radius: 4px; padding: 0 0.25rem; font-size: 0.875rem; }}
{colours}
.address {{ opacity: 0.75; font-size: 0.875rem; }}
math {{ font-size: 1.1em; }}
math[display="block"] {{ margin: 0.75rem 0; white-space: normal; }}
img {{ max-width: 100%; border-radius: 6px; }}
.note {{ font-style: italic; opacity: 0.75; }}
</style>
</head>
<body>
<h1>{title}</h1>
{articles}
</body>
</html>
"""


def as_html(conversation: Conversation, path: Sequence[Message], labels: Labels, pictures: Mapping[str, bytes]) -> str:
    """Return the page of a chat; `path` has the messages to show, `pictures` the files of pictures by their digests.

    A picture that is lost is shown by its name.
    """
    articles = []
    if conversation.system_prompt:
        articles.append(_article("system", escape(labels.system), _as_typed(conversation.system_prompt)))
    articles += [
        _article(message.role, _heading(message, labels), _message(message, labels, pictures)) for message in path
    ]
    title = escape(conversation.title or labels.untitled)
    colours = code_styles(lambda role: f"light-dark({getattr(light(), role)}, {getattr(dark(), role)})")
    return _PAGE.format(title=title, articles="\n".join(articles), colours=colours)


def _article(role: str, heading: str, body: str) -> str:
    return f'<article class="{role}" dir="auto">\n<h2>{heading}</h2>\n{body}\n</article>'


def _heading(message: Message, labels: Labels) -> str:
    when = datetime.fromtimestamp(message.created_at)
    words = " · ".join(map(escape, labels.of_writer(message)))
    return f'{words} · <time datetime="{when.isoformat()}">{when:%Y-%m-%d %H:%M}</time>'


def _message(message: Message, labels: Labels, pictures: Mapping[str, bytes]) -> str:
    parts = [_attachment(attachment, pictures) for attachment in message.attachments]
    if message.tool_use is not None:
        parts.append(f"<pre><code>{escape(message.tool_use.arguments)}</code></pre>")
    typed = message.content if message.tool_use is None else message.tool_use.with_person_part(message.content)
    parts.append(_answer(message, labels) if message.role == "assistant" else _as_typed(typed))
    if note := labels.of_state(message):
        parts.append(f'<p class="note">{escape(note)}</p>')
    return "\n".join(parts)


def _attachment(attachment: Attachment, pictures: Mapping[str, bytes]) -> str:
    name = escape(attachment.name)
    if attachment.picture is None:
        text = f'<p class="note">{name}</p>\n<pre><code>{escape(attachment.text)}</code></pre>'
        return "\n".join([text, *(_attachment(picture, pictures) for picture in attachment.inner)])
    content = pictures.get(attachment.picture.digest)
    return f'<p class="note">{name}</p>' if content is None else f'<img alt="{name}" src="{url_of_picture(content)}">'


def _answer(message: Message, labels: Labels) -> str:
    parts = parts_of(message.content)
    thought = (parts.thought or "").strip()
    folded = f"<details>\n<summary>{escape(labels.thoughts)}</summary>\n{rendered(thought)}\n</details>\n"
    return (folded if thought else "") + f'<div class="answer">\n{rendered(parts.reply)}\n</div>'


def _as_typed(text: str) -> str:
    """Escape the user's text, which is not rendered as Markdown."""
    return f'<div class="text">{escape(text)}</div>'
