"""Heads: small networks that draft from the main model's hidden states.

`engine.model_files.head_kinds.HEAD_KINDS` names, for each kind, the reader of its configuration and the subclass of
`head.Head` that drafts with it. The main model's layers leave rows of hidden states, the taps, which a request's
`engine.speculation.drafters.head_session` collects; it follows the main model's caches. Nothing here knows rounds or
chats.
"""
