"""Pictures for main models that see: how many tokens they take, their towers, and their embeddings.

A picture is a digest in a message and a file in `ChatRequest.pictures`, decoded in a process with limits while other
requests go on (`PictureFiles`). Its sign goes through the chat template, and becomes the placeholders of its family's
`PictureLayout`. The tower, loaded with the first picture, embeds them. `CachedSequence.content` has digests among the
tokens, so caches are shared by content alone. `rope_positions` gives attention Qwen's positions in passes; draft
models read no placeholders.
"""
