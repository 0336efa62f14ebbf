"""Remote execution under TVM's names: a tracker, servers, and sessions in which files, modules and arrays live.

    server = rpc.Server(host="0.0.0.0", port=9090)              # there, or: python -m s2s.tvm.exec.rpc_server
    remote = rpc.connect("10.77.1.162", 9090)
    remote.upload("lib.tar")
    function = remote.load_module("lib.tar")
    a = tvm.nd.array(np.ones(1024, "float32"), remote.cpu())
    function(a, b)

It is a farm (`s2s.farm`) on Dask.distributed: the tracker is its scheduler, a server one of its workers, and a session
holds the worker until it ends. All talk by TLS, and both sides show the certificate of the user
(`s2s.farm.user_certificates`); whoever has its key can run programs on the server. An address that begins with `tcp://`
is one of a farm without TLS.
"""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.rpc.client import RPCSession, TrackerSession, connect, connect_tracker
from s2s.tvm.rpc.local import LocalSession
from s2s.tvm.rpc.server import Server
from s2s.tvm.rpc.tracker import Tracker

__all__ = ["LocalSession", "RPCSession", "Server", "Tracker", "TrackerSession", "connect", "connect_tracker"]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("rpc")
