"""Libraries that tests compare with compute in one thread, unless the environment says more."""

import os

import pytest

from support import threads


def test_libraries_compute_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment says stays."""
    for name in threads.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    threads.use_one_thread()
    assert [os.environ[name] for name in threads.VARIABLES] == ["3", "1", "1", "1"]


def test_sessions_compute_in_one_thread() -> None:
    pytest.importorskip("onnxruntime")
    options = threads.one_thread()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
