"""Which models this computer has: discovery finds their folders, description reads them, an index remembers the result.

Everything that looks for models on the disk belongs here: the Hugging Face cache, the user's folders, other apps'
folders, the starter pair, GGUF files. What a folder's files mean is `engine.model_files`' business; downloading,
deleting and loading never belong here. Nothing here imports mlx, and nothing writes but the index.
"""
