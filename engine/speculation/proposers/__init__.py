"""Proposers: sources of draft tokens, one module each; `registry` lists them."""
