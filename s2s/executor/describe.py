"""The graph JSON of a network whose `main` has its memory plan."""

from xdsl.dialects.builtin import ModuleOp

from s2s.errors import CompilerBug
from s2s.executor.graph_json import Call, Entry, Network, Source, Value
from s2s.passes.loop.lower_to_c.main import Main
from s2s.passes.loop.lower_to_c.names import c_names, functions, is_main
from s2s.passes.loop.lower_to_c.table_rows import Rows, Tensor, rows_of
from s2s.types.dtypes import to_numpy
from s2s.types.weights import WeightStore


def describe(module: ModuleOp, prefix: str, weights: WeightStore) -> Network:
    """Sources, calls and outputs of `main`; tensors that begin at one place share a storage number."""
    mains = [func for func in functions(module) if is_main(func)]
    if len(mains) != 1:
        raise CompilerBug(f"the module has {len(mains)} functions that call kernels, not one main")
    kernels = [func for func in functions(module) if not is_main(func)]
    return _network(rows_of(Main(mains[0]), c_names(module, prefix), kernels, weights))


def _network(rows: Rows) -> Network:
    values = _values(rows.tensors)
    sources = rows.inputs + rows.parameters
    nodes: list[Source | Call] = [
        Source(tensor.name or "", values[number]) for number, tensor in enumerate(rows.tensors[:sources])
    ]
    written: dict[int, Entry] = {number: Entry(number) for number in range(sources)}
    used: dict[str, int] = {}
    for call in rows.calls:
        results, operands = call.arguments[: call.results], call.arguments[call.results :]
        name = call.nodes or call.kernel
        used[name] = used.get(name, 0) + 1
        unique = name if used[name] == 1 else f"{name} #{used[name]}"
        known = tuple(written[number] for number in operands if number in written)
        nodes.append(Call(unique, call.kernel, known, tuple(values[number] for number in results)))
        written |= {number: Entry(len(nodes) - 1, result) for result, number in enumerate(results)}
    return Network(tuple(nodes), tuple(written[number] for number in range(sources, sources + rows.outputs)))


def _values(tensors: tuple[Tensor, ...]) -> list[Value]:
    storage: dict[tuple[str, int], int] = {}
    return [
        Value(
            to_numpy(tensor.element).name,
            tensor.shape,
            storage.setdefault((tensor.place, tensor.position), len(storage)),
        )
        for tensor in tensors
    ]
