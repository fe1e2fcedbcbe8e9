"""Pictures for main models that see: how many tokens they take, their towers, and their embeddings."""
