"""Pictures for main models that see: how many tokens they take, their towers, and their embeddings.

A message has a picture's digest, and `PictureFiles` decodes the file in a process with limits. Its sign in the prompt
becomes the placeholders of its family's `PictureLayout`, which the tower embeds. Digests stand among the tokens of
`CachedSequence.content`, so caches are shared by content alone; draft models read no placeholders.
"""
