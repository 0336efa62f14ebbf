"""The interpreter of the loop dialect: each operation runs in numpy, with every access checked."""

from s2s.interpret.loop.run import run_loop, run_loop_function
from s2s.interpret.loop.scope import Options

__all__ = ["Options", "run_loop", "run_loop_function"]
