"""Limits of the size and the version of a model, beyond which frontends refuse it.

A model file is input from outside: every count is checked with Python integers before anything of that size is
allocated, so that a few hostile bytes cannot ask for terabytes. The figures are far above any network that fits a
C project.
"""

MAX_NODES = 200_000
"""Nodes of all graphs and functions, after every call of a function is expanded."""
MAX_BODIES = 5_000
"""Runs of bodies of If, Loop and Scan, which are unrolled."""
MAX_DEPTH = 8
"""Bodies of If, Loop and Scan within each other, and calls of functions within each other."""
MAX_RANK = 16
"""Dimensions of one tensor."""
MAX_NAME = 80
"""Characters of a name that an error message quotes."""
MIN_OPSET = 6
"""The first opset of ONNX of which all operators are read; of earlier opsets, operators are read that have not changed
until then."""
MAX_OPSET = 28
"""The last one."""
