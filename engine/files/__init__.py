"""Reading and writing files safely: limits for strangers' JSON and XML, atomic and private files, disk threads, memory.

Only what knows nothing of models belongs here. No module here imports another package of the engine but
`engine.errors`.
"""
