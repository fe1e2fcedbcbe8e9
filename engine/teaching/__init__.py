"""Teaching a draft model or a head: distilling the main model's own answers into an adapter.

`lessons` keeps the likeliest tokens of answers, `training` trains an adapter on them in steps of the idle engine, and
`kept` keeps it if it is better on chats held out.
"""
