"""The Hugging Face Hub: search, downloads into the shared cache, and removal from it.

Every request to the Hub and every write to its cache belongs here. What files mean is `engine.model_files`' business;
nothing here imports mlx or loads a model.
"""
