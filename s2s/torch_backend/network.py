"""A graph as a network of C that runs on tensors."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._dynamo.convert_frame import compile_lock
from torch.utils import _pytree as pytree

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.torch import LoadedModel, export, load_model
from s2s.frontends.torch.tensors import array_on, tensor_on
from s2s.options import CompileOptions
from s2s.torch_backend.contract import Contract, Place, contract_of
from s2s.torch_backend.exporting import exporting_in_this_thread

FIXED = "fixed"
"""What names of constants begin with."""


class _Pure(nn.Module):
    """A graph whose constants are its own, which changes no input and returns new values of inputs as outputs."""

    def __init__(self, graph: Callable[..., Any], inputs: Sequence[Any], fixed: Sequence[int], contract: Contract):
        super().__init__()
        self.graph, self.contract, self.count = graph, contract, len(inputs)
        self.fixed = frozenset(fixed)
        for number in fixed:
            self.register_buffer(f"{FIXED}{number}", inputs[number].detach())

    def forward(self, *given: Any) -> Any:
        rest, changed = iter(given), self.contract.changed
        inputs = [getattr(self, f"{FIXED}{n}") if n in self.fixed else next(rest) for n in range(self.count)]
        inputs = [each.clone() if n in changed else each for n, each in enumerate(inputs)]
        outputs = pytree.tree_leaves(self.graph(*inputs), is_leaf=lambda each: each is None)
        return (*(outputs[n] for n in self.contract.computed), *(inputs[n] for n in changed))


class Network:
    """Runs the C of a graph; inputs are copied to memory that is set up once."""

    def __init__(
        self, graph: Callable[..., Any], inputs: Sequence[Any], constant: Sequence[int], options: CompileOptions
    ) -> None:
        """Compile `graph` with the inputs numbered by `constant` as constants, and build it."""
        with compile_lock, exporting_in_this_thread():
            self._contract, program = _exported(graph, inputs, constant)
        changed = self._contract.changed
        artifact = compile_artifact(program, options)
        passed = [n for n in range(len(inputs)) if n in changed or n not in constant]
        self._passed = [n for n in passed if isinstance(inputs[n], Tensor)]
        if artifact.info.states or len(artifact.info.inputs) != len(self._passed):
            raise UnsupportedError("the graph: changes a tensor that it is not given; pass it as an argument")
        network = artifact.loaded()
        names = [port.name for port in network.inputs]
        with torch.inference_mode(mode=False):  # the next call may write to these outside of such a mode
            self._inputs = [torch.empty(inputs[n].shape, dtype=inputs[n].dtype) for n in self._passed]
            bound = network.bind({name: array_on(each) for name, each in zip(names, self._inputs, strict=True)})
            self._results = [tensor_on(each) for each in bound.outputs]
        self._call = bound.call
        self._extents = _extents(self._contract)
        self._lock = threading.Lock()

    @property
    def changed(self) -> tuple[int, ...]:
        """The inputs that the graph changes."""
        return self._contract.changed

    def fits(self, inputs: Sequence[Any]) -> bool:
        """Whether no other input shares the memory of one that the graph changes."""
        if not self.changed:
            return True
        memory = [each.untyped_storage().data_ptr() for each in inputs if isinstance(each, Tensor)]
        return all(memory.count(inputs[n].untyped_storage().data_ptr()) == 1 for n in self.changed)

    def __call__(self, inputs: Sequence[Any]) -> tuple[Any, ...] | None:
        """The outputs of the graph; inputs that it changes hold their new values. None if the network refuses what it
        is given, such as an index out of range; then nothing has changed."""
        with self._lock:
            for place, number in zip(self._inputs, self._passed, strict=True):
                place.copy_(inputs[number])
            if self._call() != 0:
                return None
            results = iter(self._results)
            outputs = self._outputs(inputs, results)
            for number, result in zip(self.changed, results, strict=True):
                inputs[number].copy_(result)
        return outputs

    def _outputs(self, inputs: Sequence[Any], results: Any) -> tuple[Any, ...]:
        """Copies of results as their places say, and views of inputs."""
        storages = {key: torch.empty(size, dtype=dtype) for key, (size, dtype) in self._extents.items()}
        outputs: list[Any] = []
        for place in self._contract.outputs:
            if not isinstance(place, Place):
                outputs.append(place)
                continue
            owner = storages[place.storage] if place.of_input is None else inputs[place.of_input]
            begin = place.offset + (0 if place.of_input is None else owner.storage_offset())
            view = torch.as_strided(owner, place.shape, place.strides, begin)
            if place.of_input is None:
                view[place.once].copy_(next(results)[place.once])
            outputs.append(view)
        return tuple(outputs)


def _exported(
    graph: Callable[..., Any], inputs: Sequence[Any], constant: Sequence[int]
) -> tuple[Contract, LoadedModel]:
    """The program that a graph is, which changes no input, and what it does beside computing.

    Some operators change their operands without saying so, as normalisation in training does; their decompositions do.
    The caller holds the lock of `torch.compile`: two threads that trace at once break each other.
    """
    changed: set[int] = set()
    while True:
        contract = contract_of(graph, inputs, changed)
        fixed = [n for n in constant if n not in contract.changed]
        given = [n for n in range(len(inputs)) if n not in fixed]
        program = load_model(export(_Pure(graph, inputs, fixed, contract), [_detached(inputs[n]) for n in given]))
        signature = program.decomposed.graph_signature
        names = dict(zip(signature.user_inputs, given, strict=False))
        targets = [int(each.removeprefix(FIXED)) for each in signature.buffers_to_mutate.values() if FIXED in each]
        missed = {*targets, *(names[each] for each in signature.user_inputs_to_mutate.values())}
        if missed <= changed:
            return contract, program
        changed |= missed


def _detached(value: Any) -> Any:
    """An example of an input: a tensor that keeps its size in any case."""
    return value.detach().contiguous() if isinstance(value, Tensor) else value


def _extents(contract: Contract) -> dict[int, tuple[int, torch.dtype]]:
    """The elements and the type of each storage that outputs lie in."""
    extents: dict[int, tuple[int, torch.dtype]] = {}
    for number in contract.computed:
        place = contract.outputs[number]
        assert isinstance(place, Place)
        known, dtype = extents.get(place.storage, (0, place.dtype))
        if dtype != place.dtype:
            raise UnsupportedError("outputs: share memory under different element types; return copies")
        extents[place.storage] = max(known, place.extent), dtype
    return extents
