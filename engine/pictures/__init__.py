"""Pictures for main models that see: how many tokens they take, their towers, and their embeddings.

A message has a picture's digest, and `reading.PictureFiles` decodes the file in a process with limits. Its sign in the
prompt becomes the placeholders of its family's `PictureLayout`, which `vision_tower` embeds. Digests stand among the
tokens of `CachedSequence.content`, so caches are shared by content alone; draft models read no placeholders.

What belongs here: pictures as a main model reads them. Each family has a module, and `families` lists them. What never
does: the text of documents (`engine/documents`), and pictures as a person sees them (`app`). Only building and using a
tower imports MLX, and mlx-vlm.
"""
