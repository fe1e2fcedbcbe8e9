"""The two ways to decode a generation: alone, or in a batch. A generation may move between them mid-answer.

In a batch, one pass verifies the proposals of all answers; each has its own proposers, sampler, seed and limits, so
its text does not depend on the others. `engine.speculation.caches.row_caches` holds the caches as left-aligned rows
of shared buffers. Each row has its own length, so rolling back attention caches changes numbers and no array. Joining
copies a request's caches into a row, and leaving copies them out. Models whose caches cannot be rows take turns.
"""
