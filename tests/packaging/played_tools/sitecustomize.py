"""A Python that is started by the stand-in starts the stand-in, too."""

import os
import sys

sys.executable = os.environ["PLAYED_PYTHON"]
