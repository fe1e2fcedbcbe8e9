"""Encoders: models that read a text in both directions and make one vector of it, for `/v1/embeddings`.

BERT's family, ModernBERT, nomic-bert and EmbeddingGemma. They write no text, so nothing here knows of rounds or caches.
"""
