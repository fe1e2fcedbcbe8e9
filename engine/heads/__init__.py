"""Heads: small networks that draft from the main model's hidden states.

`HEAD_KINDS` names what reads a kind's configuration and the subclass of `Head` that drafts with it. A request's
`HeadSession` collects the rows that the main model's layers leave in `taps`, and follows its caches.
"""
