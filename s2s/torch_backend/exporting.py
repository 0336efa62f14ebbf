"""What threads are told while one of them exports."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

import torch


@contextmanager
def exporting_in_this_thread() -> Generator[None]:
    """Answer `torch.compiler.is_exporting` with True in this thread only, while it exports.

    torch has one flag for all threads. A graph of `torch.compile` that another thread runs meanwhile would annotate
    the nodes of a trace that it isn't part of, in a table of the process: two that do so at once fail with `KeyError`.
    The caller holds the lock of `torch.compile`.
    """
    thread, of_process = threading.get_ident(), torch.compiler.is_exporting
    torch.compiler.is_exporting = lambda: threading.get_ident() == thread and of_process()
    try:
        yield
    finally:
        torch.compiler.is_exporting = of_process
