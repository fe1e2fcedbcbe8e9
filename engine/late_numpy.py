"""numpy, imported when something of it is used first: `from engine.late_numpy import np`.

Its import takes longer than to load a small model, which goes on meanwhile (`engine.loading` has it imported beside).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["np"]

if TYPE_CHECKING:
    import numpy as np
else:

    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            # From now on found without a call.
            setattr(self, name, value)
            return value

    np = _Numpy()
