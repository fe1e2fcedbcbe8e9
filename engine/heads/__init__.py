"""Heads: small networks that draft from the main model's hidden states.

`HEAD_KINDS` (`engine.model_files.head_kinds`) tells a head's kind by its tensors, and names what reads its
configuration and the subclass of `head.Head` that drafts with it. `main_ports` finds the main model's embedding, last
norm and output matrix by watching one pass; `taps` records the layers that the head reads. A request's `HeadSession`
collects the tapped rows, and is rewound, copied and stored together with the main model's caches.
"""
