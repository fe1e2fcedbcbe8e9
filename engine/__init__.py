"""Tandem's engine: local chat models that decode speculatively, on MLX, without any user interface.

Importing it is cheap: mlx and the models are imported on the engine's own thread. It loads the BLAS that mlx will use,
so it must be imported before mlx.
"""

import os

# MLX reads it once. By default, an M5 multiplies float32 with some 11 bits in two rows and more, but exactly in one
# (mlx#4411), so that speculation would change texts.
os.environ.setdefault("MLX_ENABLE_TF32", "0")

from engine.client import EngineClient, RequestStream
from engine.cpu_backend.blas import BLAS
from engine.engine import Engine
from engine.errors import EngineError, ModelNotUsable
from engine.events import Event, Failed, Finished, PrefillProgress, Token, TokensCommitted
from engine.files.paths import starter_pair
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.settings import EngineSettings
from engine.stats import RequestStats, RoundRecord
from engine.tuning import LearnedPair

__all__ = [
    "BLAS",
    "ChatRequest",
    "Engine",
    "EngineClient",
    "EngineError",
    "EngineSettings",
    "Event",
    "Failed",
    "Finished",
    "LearnedPair",
    "ModelNotUsable",
    "PrefillProgress",
    "RequestStats",
    "RequestStream",
    "RoundRecord",
    "SamplingSettings",
    "SpeculationSettings",
    "Token",
    "TokensCommitted",
    "starter_pair",
]
