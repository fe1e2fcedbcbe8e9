"""Speculative decoding: who proposes draft tokens, how many, and how a round verifies and commits them.

`rounds` is one round over a model's sequence; `caches` takes rejected tokens back. `proposers` are the sources of draft
tokens, `drafters` the models behind them; `choosing` decides which source proposes how many. `drafting` and
`request_proposers` join these for one main model and for one request, `conversation` holds the sequences of one
conversation, and `round_timing` measures rounds.

Promise: a proposal never changes the text that the main model writes. What only one chat or the window needs does not
belong here, nor do the networks of heads (`engine.heads`).
"""
