"""Sessions: in this process, on a server, and on servers that a tracker hands out, as TVM's documentation uses them."""

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, UnsupportedError
from s2s.tvm import autotvm, relay, rpc, te
from s2s.tvm.contrib import graph_executor, utils
from s2s.tvm.driver import tvmc
from s2s.tvm.error import RPCError
from support.autotvm import MATMUL
from support.farm import wait_until
from support.project import ROOT

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

KEY = "rk3399"


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of certificates of these tests."""
    path = tmp_path_factory.mktemp("config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(path))
        yield path / "s2s" / "farm"


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[rpc.Server]:
    made = rpc.Server(host="127.0.0.1", key="x1", server_init_callback=greeting)
    yield made
    made.terminate()


@pytest.fixture(scope="module")
def tracker(folder: Path) -> Iterator[rpc.TrackerSession]:
    started = rpc.Tracker(host="127.0.0.1", port=9700, port_end=9900, silent=True)
    servers = [
        rpc.Server("127.0.0.1", 9700, 9900, key=KEY, tracker_addr=("127.0.0.1", started.port), silent=True)
        for _ in range(2)
    ]
    yield rpc.connect_tracker("127.0.0.1", started.port)
    for each in (*servers, started):
        each.terminate()


def greeting() -> None:
    """What sessions of the server begin with."""
    from s2s import tvm

    def greet(name: str) -> str:
        return f"hello {name}"

    tvm.register_func("test.greet", greet)


def free(tracker: rpc.TrackerSession) -> dict[str, int]:
    return tracker.summary()["queue_info"].get(KEY, {"free": 0, "pending": 0})


def test_the_tutorial_of_cross_compilation_runs_on_a_server(server: rpc.Server):
    n = tvm.runtime.convert(1024)
    x: Any = te.placeholder((n,), name="A")
    y = te.compute((n,), lambda i: x[i] + 1.0, name="B")
    s = te.create_schedule(y.op)
    func: Any = tvm.build(s, [x, y], target="llvm", name="add_one")
    temp = utils.tempdir()
    path = temp.relpath("lib.tar")
    func.export_library(path)
    remote = rpc.connect("127.0.0.1", server.port)
    remote.upload(path)
    func = remote.load_module("lib.tar")
    dev = remote.cpu()
    a = tvm.nd.array(np.random.uniform(size=1024).astype(x.dtype), dev)
    b = tvm.nd.array(np.zeros(1024, dtype=x.dtype), dev)
    func(a, b)
    np.testing.assert_equal(b.numpy(), np.add(a.numpy(), np.float32(1)))
    time_f = func.time_evaluator(func.entry_name, dev, number=10)
    cost = time_f(a, b).mean
    assert cost > 0
    assert str(a.device).startswith("remote")
    linked = temp.relpath("downloaded.so")
    Path(linked).write_bytes(remote.download_linked_module("lib.tar"))
    here = tvm.nd.empty((1024,))
    tvm.runtime.load_module(linked)(a.numpy(), here)
    np.testing.assert_equal(here.numpy(), b.numpy())


def test_a_network_runs_on_a_server(server: rpc.Server, tmp_path: Path):
    x = relay.var("x", shape=(1, 4))
    with tvm.transform.PassContext(opt_level=3):
        library = relay.build(tvm.IRModule.from_expr(relay.nn.relu(x)), target="llvm", mod_name="default")
    library.export_library(tmp_path / "net.tar")
    remote = rpc.connect("127.0.0.1", server.port, key="x1")
    remote.upload(tmp_path / "net.tar")
    rlib = remote.load_module("net.tar")
    dev = remote.cpu(0)
    module = graph_executor.GraphModule(rlib["default"](dev))
    module.set_input("x", tvm.nd.array(np.array([[1, -2, 3, -4]], np.float32), dev))
    module.run()
    out = module.get_output(0)
    assert out.numpy().tolist() == [[1, 0, 3, 0]]
    module.get_input("x").copyfrom(np.full((1, 4), 7, np.float32))
    module.run()
    assert module.get_output(0, tvm.nd.empty((1, 4))).numpy().tolist() == [[7, 7, 7, 7]]
    assert module.benchmark(dev, number=1, repeat=2).mean > 0
    raw: Any = module.module
    assert raw.time_evaluator("run", dev, number=2)().mean > 0
    y = tvm.nd.empty((1, 4), device=dev)
    module.set_output_zero_copy(0, y)
    module.run(x=np.ones((1, 4), np.float32))
    assert y.numpy().tolist() == [[1, 1, 1, 1]]
    with pytest.raises(InputError, match=r"zero copy: the array is in this process"):
        module.set_output_zero_copy(0, tvm.nd.empty((1, 4)))
    graph = graph_executor.create(library.get_graph_json(), remote.load_module("net.tar"), dev)
    assert isinstance(graph, graph_executor.GraphModule)
    assert graph.get_num_outputs() == 1


def test_functions_files_and_errors_of_a_session(server: rpc.Server):
    client = rpc.connect("127.0.0.1", server.port)
    assert client.get_function("rpc.test.addone")(10) == 11
    assert client.get_function("rpc.test.add_to_lhs")(10)(12) == 22
    assert client.get_function("test.greet")("you") == "hello you"
    assert client.get_function("testing.echo")(1, 2, 3) == 1
    with pytest.raises(tvm.TVMError, match=r"ValueError: abc"):
        client.get_function("rpc.test.except")("abc")
    with pytest.raises(AttributeError):
        client.system_lib()["notexist"]
    client.upload(bytearray(b"abc"), "dat.bin")
    assert client.download("dat.bin") == b"abc"
    assert client.listdir() == "dat.bin"
    client.remove("dat.bin")
    with pytest.raises(InputError, match=r"session: dat.bin has not been uploaded; it has no files"):
        client.load_module("dat.bin")
    with pytest.raises(InputError, match=r"'../text' is no name of a file"):
        client.upload(b"abc", "../text")
    with pytest.raises(UnsupportedError, match=r"functions of this process cannot be called there"):
        client.get_function("testing.echo")(print)


def test_the_driver_runs_a_package_on_a_server(server: rpc.Server, tracker: rpc.TrackerSession, tmp_path: Path):
    digits = ROOT / "examples" / "digits" / "digits.onnx"
    package = tvmc.compile(tvmc.load(str(digits)), "llvm", package_path=tmp_path / "net.tar", output_format="tar")
    here = tvmc.run(package, "cpu", fill_mode="ones").get_output("output_0")
    there = tvmc.run(package, "cpu", "127.0.0.1", server.port, fill_mode="ones", benchmark=True, repeat=1, number=2)
    np.testing.assert_array_equal(there.get_output("output_0"), here)
    assert there.times is not None
    handed = tvmc.run(package, "cpu", "127.0.0.1", tracker.port, rpc_key=KEY, fill_mode="ones")
    np.testing.assert_array_equal(handed.get_output("output_0"), here)


def test_code_that_crashes_ends_its_session_alone(server: rpc.Server, tmp_path: Path):
    (tmp_path / "crash.c").write_text("#include <stdlib.h>\nint boom(void) { abort(); }\n")
    tvm.contrib.cc.create_shared(tmp_path / "crash.so", [tmp_path / "crash.c"])
    client = rpc.connect("127.0.0.1", server.port)
    client.upload(tmp_path / "crash.so")
    function = client.load_module("crash.so").get_function("boom")
    with pytest.raises(RPCError, match=r"its process has ended"):
        function()
    assert rpc.connect("127.0.0.1", server.port).get_function("rpc.test.addone")(1) == 2


def test_arrays_of_another_session_are_refused(server: rpc.Server, tracker: rpc.TrackerSession):
    first, second = rpc.connect("127.0.0.1", server.port), tracker.request(KEY)
    array = tvm.nd.array(np.ones(4, np.float32), first.cpu())
    with pytest.raises(InputError, match=r"an object of another session is given; copy it"):
        second.get_function("testing.echo")(array)


def test_the_key_is_for_its_owner_alone(server: rpc.Server, folder: Path):
    assert stat.S_IMODE((folder / "key.pem").stat().st_mode) == 0o600


def test_who_has_another_key_is_turned_away(server: rpc.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"nobody answers at tls://127.0.0.1"):
        rpc.connect("127.0.0.1", server.port)


def test_another_key_of_a_server_is_refused(server: rpc.Server):
    with pytest.raises(RPCError, match=r"has the key x1, not x2"):
        rpc.connect("127.0.0.1", server.port, key="x2")


def test_a_tracker_hands_out_servers(tracker: rpc.TrackerSession):
    wait_until(lambda: free(tracker) == {"free": 2, "pending": 0})
    assert [each["key"] for each in tracker.summary()["server_info"]] == [f"server:{KEY}"] * 2
    assert f"{KEY}   2      2     0" in tracker.text_summary()
    sessions = [tracker.request(KEY) for _ in range(2)]
    assert free(tracker) == {"free": 0, "pending": 0}
    assert [each.get_function("rpc.test.addone")(1) for each in sessions] == [2, 2]
    del sessions
    wait_until(lambda: free(tracker)["free"] == 2)
    assert tracker.request_and_run(KEY, lambda remote: remote.get_function("rpc.test.addone")(2)) == 3
    wait_until(lambda: free(tracker)["free"] == 2)


def test_a_function_is_run_again_where_it_fails(tracker: rpc.TrackerSession):
    called: list[object] = []

    def fail(remote: rpc.RPCSession) -> None:
        called.append(remote)
        raise RPCError("lost")

    with pytest.raises(RPCError, match=r"request_and_run\('rk3399'\): failed 2 times; the last time: lost"):
        tracker.request_and_run(KEY, fail)
    assert len(called) == 2


def test_a_session_ends_when_its_time_is_over(tracker: rpc.TrackerSession):
    session = tracker.request(KEY, session_timeout=1)
    time.sleep(2)
    with pytest.raises(RPCError, match=r"session: has ended, or its time is over"):
        session.cpu().place(np.ones(1))


def test_a_runner_measures_on_servers_of_a_key(tracker: rpc.TrackerSession):
    task = autotvm.task.create(MATMUL, (16, "float32"), "llvm")
    tuner = autotvm.tuner.RandomTuner(task)
    runner = autotvm.RPCRunner(KEY, "127.0.0.1", tracker.port, timeout=60)
    tuner.tune(2, autotvm.measure_option(builder=autotvm.LocalBuilder(), runner=runner))
    assert tuner.best_config is not None


def test_what_a_server_cannot_be_is_refused():
    with pytest.raises(UnsupportedError, match=r"is_proxy: there are no proxies; give the address of a tracker"):
        rpc.Server("127.0.0.1", is_proxy=True)
    with pytest.raises(UnsupportedError, match=r"rpc.Tracker: timeout"):
        rpc.Tracker(timeout=3)
    with pytest.raises(UnsupportedError, match=r"session_constructor_args: rpc.Connect: a session is a process"):
        rpc.connect("127.0.0.1", 9, session_constructor_args=["rpc.Connect", "h", 1, "x"])
    with pytest.raises(UnsupportedError, match=r"enable_logging: calls are not logged"):
        rpc.connect("127.0.0.1", 9, enable_logging=True)


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
    assert function.time_evaluator(function.entry_name, remote.cpu(), number=2)(x, y).mean > 0
    assert remote.listdir() == "lib.tar"
    remote.remove("lib.tar")
    with pytest.raises(InputError, match=r"session: lib.tar has not been uploaded; it has no files"):
        remote.load_module("lib.tar")
    assert remote.cl().exist is False


def test_a_server_ends_with_its_object():
    server = rpc.Server("127.0.0.1", silent=True)
    pid = server.pid
    server.terminate()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_address_says_how_to_talk():
    assert rpc.TrackerSession(("farm", 9190)).address == "tls://farm:9190"
    assert rpc.TrackerSession(("tcp://farm", 8786)).address == "tcp://farm:8786"
