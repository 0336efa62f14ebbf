"""Sessions: one in this process has a session's calls; servers that run what they are sent are refused."""

from pathlib import Path

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import rpc, te


def test_a_library_runs_in_a_local_session(tmp_path: Path):
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] + 1.0, name="B")
    tvm.build(te.create_schedule(b.op), [a, b], "llvm", name="add_one").export_library(tmp_path / "lib.tar")
    remote = rpc.LocalSession()
    remote.upload(tmp_path / "lib.tar")
    function = remote.load_module("lib.tar")
    x, y = tvm.nd.array(np.arange(8, dtype=np.float32), remote.cpu()), tvm.nd.empty((8,), device=remote.device("cpu"))
    function(x, y)
    np.testing.assert_array_equal(y.numpy(), np.arange(1, 9, dtype=np.float32))
    assert function.time_evaluator(function.entry_func.name, remote.cpu(), number=2)(x, y).mean > 0
    assert remote.listdir() == "lib.tar"
    remote.remove("lib.tar")
    with pytest.raises(InputError, match=r"session: lib.tar has not been uploaded; it has no files"):
        remote.load_module("lib.tar")


def test_bytes_are_uploaded_and_downloaded():
    remote = rpc.LocalSession()
    remote.upload(b"abc", "text")
    assert remote.download("text") == b"abc"
    with pytest.raises(InputError, match=r"'../text' is no name of a file"):
        remote.upload(b"abc", "../text")


def test_servers_that_run_what_they_are_sent_are_refused():
    with pytest.raises(UnsupportedError, match=r"rpc.Server: it runs what it is sent; start `s2s farm scheduler`"):
        rpc.Server("127.0.0.1")
    with pytest.raises(UnsupportedError, match=r"rpc.connect\('host', 9090\): a server of TVM runs what it is sent"):
        rpc.connect("host", 9090)
    with pytest.raises(UnsupportedError, match=r"session of qemu:m4: a worker of a farm measures candidates and takes"):
        rpc.Session("qemu:m4", "farm", 8786, 1).upload("lib.tar")
