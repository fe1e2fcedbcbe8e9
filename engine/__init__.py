"""Tandem's engine: local chat models that decode speculatively, on MLX, without any user interface.

Importing it is cheap: mlx and the models come in on the engine's own thread.
"""

from engine.cpu_backend.blas import load_blas

BLAS = load_blas()

from engine.engine import Engine, RequestStream, starter_pair  # noqa: E402  (mlx must come after BLAS)
from engine.errors import EngineError, ModelNotUsable  # noqa: E402
from engine.events import Event, Failed, Finished, PrefillProgress, Token, TokensCommitted  # noqa: E402
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings  # noqa: E402
from engine.settings import EngineSettings  # noqa: E402
from engine.stats import RequestStats, RoundRecord  # noqa: E402
from engine.tuning import Calibration, ContextFigures, DepthFigures, GuessFigures, LearnedPair  # noqa: E402

__all__ = [
    "BLAS",
    "Calibration",
    "ChatRequest",
    "ContextFigures",
    "DepthFigures",
    "Engine",
    "EngineError",
    "EngineSettings",
    "Event",
    "Failed",
    "Finished",
    "GuessFigures",
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
