"""What the files of a model, a head or an adapter say: names, configurations, headers of weights, vocabularies.

Everything that reads a model's folder without computing belongs here, and reads it under limits: the files are a
stranger's. The record `model.Model` and the names of models are here, too. Nothing here loads weights, runs a tokenizer
or writes. Only `vlm_language` and `cache_counting` use mlx, for models without weights.
"""
