"""Threads of the libraries that tests compare with: one each.

A pool of threads of numpy or PyTorch waits in a loop for its slowest thread. Where each processor runs a process of the
suite already, a small product of matrices takes a thousand times the processor time that one thread takes.
"""

import os
from importlib import import_module
from typing import Any

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
"""Where libraries read the number of their threads as they are loaded."""


def use_one_thread() -> None:
    """Let libraries that this process and its children load compute in one thread, unless the environment says more."""
    for name in VARIABLES:
        os.environ.setdefault(name, "1")


def one_thread() -> Any:
    """Options of a session of onnxruntime, which reads no variable."""
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return options
