"""Taking tokens back from a model's caches, and holding the caches of several texts in one batch.

For one text: `cache_rules` says how one layer's cache drops rows or is restored, `cache_kinds` which rule each class of
caches has, and `rollback` makes transactions over all layers of it. For several texts: `row_kinds` are caches whose
rows are texts, `row_layout` counts their slots, and `row_caches` makes transactions over them. `shared_caches` is the
interface of caches that several processes share; `buffer_sizes` says how large buffers grow.

Nothing here knows models by name beyond the table of kinds, nor tokens, sampling or proposers.
"""
