"""Sessions of microTVM: a network of a project, run here or on its board."""

from types import TracebackType
from typing import Self

from s2s.errors import InputError, UnsupportedError
from s2s.executor.device import Device, cpu
from s2s.tvm.contrib.aot_executor import AotExecutor, AotModule
from s2s.tvm.contrib.graph_executor import GraphModule, create
from s2s.tvm.micro.transport import ProjectTransport
from s2s.verify.board_network import BoardNetwork
from s2s.verify.build import LoadedNetwork


class Session:
    """The network of a project while the session is open."""

    def __init__(
        self,
        transport_context_manager: ProjectTransport | None = None,
        session_name: str = "micro-rpc",
        timeout_override: object = None,
    ) -> None:
        if timeout_override is not None:
            raise UnsupportedError("micro.Session: timeout_override: waits are fixed; leave it out")
        if not isinstance(transport_context_manager, ProjectTransport):
            raise InputError("micro.Session: wants a transport; give project.transport() of generate_project")
        self.transport, self.session_name = transport_context_manager, session_name
        self.device: Device = cpu(0)
        self._network: LoadedNetwork | BoardNetwork | None = None

    def __enter__(self) -> Self:
        self._network = self.transport.__enter__()
        return self

    def __exit__(
        self, ptype: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._network = None
        self.transport.__exit__(ptype, value, trace)

    def get_system_lib(self) -> LoadedNetwork | BoardNetwork:
        """The network, which `create_local_graph_executor` takes."""
        if self._network is None:
            raise InputError(f"micro.Session {self.session_name}: is not open; use it in a with statement")
        return self._network

    def create_aot_executor(self) -> AotExecutor:
        """The network as a module, which `AotModule` takes."""
        network = self.get_system_lib()
        if network.executor != "aot":
            raise InputError(f"{network.name}: built for executor graph; use micro.create_local_graph_executor")
        return AotExecutor(network)


def create_local_aot_executor(session: Session) -> AotModule:
    """The executor of a session's network."""
    return AotModule(session.create_aot_executor())


def create_local_graph_executor(graph_json_str: str, mod: object, device: object) -> GraphModule:
    """The executor of a graph JSON on the functions of a session's `get_system_lib`, in this process."""
    if not isinstance(mod, LoadedNetwork) or mod.executor != "graph":
        raise InputError("micro.create_local_graph_executor: the network is for executor aot; use AotModule")
    return create(graph_json_str, mod, device)


__all__ = ["Session", "create_local_aot_executor", "create_local_graph_executor"]
