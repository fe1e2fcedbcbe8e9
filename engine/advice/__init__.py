"""What fits this computer and what pays: sizes of models with their caches, pairs, estimated speed-ups, the catalog.

All of it is computed from descriptions (`engine.model_files.model.Model`) and published figures; nothing here loads a
model or measures one.
"""
