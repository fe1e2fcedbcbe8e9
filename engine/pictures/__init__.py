"""Pictures for main models that see: how many tokens they take, their towers, and their embeddings.

A message has a picture's digest, and `reading.PictureFiles` decodes the file in a process with limits. The sign of a
picture in the prompt is replaced by placeholders as its family's `family.PictureLayout` says, which `vision_tower`
embeds. Digests stand among the tokens of `CachedSequence.content`, so caches are shared by content alone; draft models
read no placeholders.

Pictures as a main model reads them belong here. Each family has a module, and `families` lists them. The text of
documents (`engine/documents`) and pictures as a person sees them (`app/`) never belong here. Only building and using a
tower imports MLX, and mlx-vlm.
"""
