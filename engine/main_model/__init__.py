"""A loaded main model: its weights, its tokenizer's facts, its sampler, its grammars and the limit of its thoughts.

What loading makes and what every pass over a main model needs belongs here. Drafting, caches of conversations and
requests never do.
"""
