"""The verdicts on a draft for a main model (`PairAdvice.verdict`)."""

from __future__ import annotations

# same: identical ids. padded: the same ids, one model has more rows or a few more tokens. different: works by
# re-encoding, slower. unknown: its tokenizer has not been read yet. lookup: no draft model, proposals from the text.
# head: a head made for the main model. head-other: made for another, of the same shape. head-unchecked: published for
# the main model, but nothing of it has been read. head-inside: the makers ship it with the main model. other-main: a
# head that cannot draft for this main model.
HEADS = ("head", "head-other", "head-unchecked", "head-inside")
WORKING = ("same", "padded", "different", "unknown", "lookup", *HEADS)
VERDICTS = (*WORKING, "other-main", "too-large", "no-room", "incomplete", "not-mlx")
