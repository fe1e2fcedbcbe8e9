"""Tandem's engine: local chat models that decode speculatively, on MLX, without any user interface.

Importing it is cheap: mlx and the models come in on the engine's own thread.
"""

from engine.blas import load_blas

BLAS = load_blas()
