"""What a network keeps from run to run, for those who emit it."""

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, StringAttr

from s2s.analysis.network.functions import STATE, has_control_flow, main_of, state_arguments
from s2s.dialects import loop
from s2s.emit.info import StateInfo
from s2s.errors import CompilerBug, UnsupportedError
from s2s.interpret.loop.scope import memref


def states_of(module: ModuleOp) -> tuple[StateInfo, ...]:
    """The state of a network at loop level, as the memory plan has placed it."""
    views = [op for op in main_of(module).body.block.ops if isinstance(op, loop.ViewOp) and STATE in op.attributes]
    return tuple(_state(view) for view in views)


def _state(view: loop.ViewOp) -> StateInfo:
    name, shape = view.attributes[STATE], view.attributes.get("shape")
    if not isinstance(name, StringAttr) or not isinstance(shape, DenseArrayBase):
        raise CompilerBug("a state of main has no name or no shape")
    dims = tuple(int(size) for size in shape.get_values())
    return StateInfo(name.data, memref(view.result).element_type, dims, view.offset.value.data)


def check_executor(module: ModuleOp, executor: str) -> None:
    """Refuse what the tables of the graph executor cannot say."""
    if executor != "graph":
        return
    if has_control_flow(module):
        raise UnsupportedError("--executor graph: the network has loops or branches, its tables have none; use aot")
    if state_arguments(main_of(module)):
        raise UnsupportedError("--executor graph: the network keeps state from run to run, its tables cannot; use aot")
