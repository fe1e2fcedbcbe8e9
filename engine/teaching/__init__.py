"""Teaching a draft model or a head: distilling the main model's own answers into an adapter.

The idle engine does it in steps (`engine.upkeep.teaching`): `lessons` keeps the likeliest tokens of answers,
`training` trains an adapter of a copy on them, and if it is better on chats held out, `kept` keeps it in place of the
former one.
"""
