"""The marks around a model's thoughts and around its reply."""

from __future__ import annotations

# Pairs of the mark that opens thoughts in an answer and the mark that closes them.
THOUGHT_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel>thought", "<channel|>"),
    # Gemma 4 begins its mark twice at times.
    ("<|channel><|channel>thought", "<channel|>"),
    ("<|think:start|>", "<|think:end|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
)
# Thoughts that are messages: the texts that open and end them, that open a reply then, and that begin others.
MESSAGE_MARKS = (
    ("<|channel|>analysis<|message|>", "<|end|>", "<|start|>assistant<|channel|>final<|message|>", "analysis"),
    ("to=self<|message|>", "<|eom|>", "<|start|>assistant to=user<|message|>", ""),
)
# The opening marks that are words: they are a part of the thoughts, and thoughts only if they are closed.
OPENING_WORDS = ("Here are my reasoning steps:",)
# The mark that opens a reply, and the marks in and after such replies.
REPLY_MARKS = (
    ("<|START_RESPONSE|>", ("<|END_RESPONSE|>",)),
    ("<|START_TEXT|>", ("<|END_TEXT|>",)),
    ("<|open|>response<|sep|>", ("<|close|>response<|sep|>", "<|close|>message<|sep|>")),
    ("<response>", ("</response>",)),
    # Hunyuan's, on the line after the thoughts; replies of others may have such a tag because they were asked for it.
    ("\n<answer>\n", ("\n</answer>",)),
)
# Marks that stay behind in replies after thoughts with this closing mark: Gemma 4 thinks again, without a thought.
LEFT_BEHIND = {"<channel|>": ("<|channel>thought\n<channel|>", "<channel|>")}


def opened_thought(prompt_end: str) -> str:
    """Return the mark that opens thoughts at the end of a prompt, with the white space after it; "" without one."""
    marked = prompt_end.rstrip()
    mark = next((opening for opening, *_ in (*THOUGHT_MARKS, *MESSAGE_MARKS) if marked.endswith(opening)), "")
    return prompt_end[len(marked) - len(mark) :] if mark else ""


def continued_thought(text: str) -> str:
    """Return the mark that opened the thoughts in which an answer's text stops, to be continued; "" if it has none.

    The words of OPENING_WORDS are no mark: they would be said again.
    """
    for opening, closing in THOUGHT_MARKS:
        if text.lstrip().startswith(opening) and opening not in OPENING_WORDS:
            return opening if text.rfind(closing) < text.rfind(opening) else ""
    return ""
