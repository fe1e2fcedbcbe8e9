"""Heads: small networks that draft from the main model's hidden states."""
