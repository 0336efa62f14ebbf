"""TVM's C interface of a network with executor `aot`: `tvmgen_<name>_run` on structs of pointers.

    struct tvmgen_kws_inputs inputs = {.mfcc = frame};
    struct tvmgen_kws_outputs outputs = {.scores = scores};
    tvmgen_kws_run(&inputs, &outputs);

It is two files beside the tree, which call its run function. The memory of a run is an array of theirs; with memory
pools the caller gives the parts in a third struct.
"""

from collections.abc import Mapping, Sequence

from s2s.c_syntax.identifiers import c_macro
from s2s.c_syntax.interface import ArenaPool, Port
from s2s.emit.arenas import arena_arguments, arena_definitions
from s2s.emit.info import NetworkInfo
from s2s.emit.templates import fill
from s2s.emit.view import GENERATED
from s2s.errors import UnsupportedError
from s2s.support.frozen import frozen


@frozen
class PortBytes:
    """An input or an output in its struct."""

    identifier: str
    macro: str
    size: int


@frozen
class InterfaceView:
    """The interface as its templates show it."""

    name: str
    macro: str
    header: str
    """The prefix of the tree that the interface calls."""
    inputs: Sequence[PortBytes]
    outputs: Sequence[PortBytes]
    workspace: int
    align: int
    pools: Sequence[ArenaPool]
    memory: Sequence[str]
    """Definitions of the memory of a run; none with pools, which the caller gives."""
    arguments: Sequence[str]

    @property
    def pool_parameter(self) -> str:
        """The parameter with the parts of the memory."""
        return f",\n    struct tvmgen_{self.name}_workspace_pools *workspace_pools" if self.pools else ""


def tvmgen_files(info: NetworkInfo, name: str) -> Mapping[str, str]:
    """Return the header and the source of the interface of a network, by their names. Its functions begin with `name`.

    Networks with state, sizes that vary, threads, other devices or constants that are copied to pools are refused:
    their calls have more parts than TVM's interface has.
    """
    _check(info)
    view = InterfaceView(
        name=name,
        macro=c_macro(name),
        header=info.name,
        inputs=_ports(info.inputs),
        outputs=_ports(info.outputs),
        workspace=info.arena_size,
        align=info.arena_align,
        pools=info.pools,
        memory=[] if info.pools else arena_definitions(info, "arena"),
        arguments=[
            *(f"workspace_pools->{pool.name}" for pool in info.pools),
            *([] if info.pools else arena_arguments(info, "arena")),
            *(f"inputs->{port.identifier}" for port in info.inputs),
            *(f"outputs->{port.identifier}" for port in info.outputs),
        ],
    )
    return {
        f"tvmgen_{name}.{suffix}": fill(f"tvmgen.{suffix}.j2", licence=GENERATED, view=view) for suffix in ("h", "c")
    }


def _ports(ports: Sequence[Port]) -> list[PortBytes]:
    return [PortBytes(port.identifier, c_macro(port.identifier), port.size) for port in ports]


def _check(info: NetworkInfo) -> None:
    """Refuse a network whose run function wants more than inputs, outputs and memory."""
    parts = {
        "state": info.states,
        "sizes that vary": info.sizes,
        "threads": info.threads,
        "other devices": info.devices,
        "constants in memory pools": info.loaded,
    }
    wanting = next((what for what, value in parts.items() if value), None)
    if wanting is not None:
        raise UnsupportedError(
            f"{info.name}: interface-api c: TVM's interface has no part for {wanting}; leave the option out, and call "
            f"{info.name}_run"
        )
