"""A loaded main model: its weights, its tokenizer's facts, its sampler, its grammars and the limit of its thoughts.

What loading makes and what every pass over a main model needs belongs here, and in `low_rank` what is added to the
layers of a drafter that was taught. Drafting, caches of conversations and requests never do.
"""
