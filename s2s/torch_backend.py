"""A backend of `torch.compile` for inference: graphs become C, which is built and runs in this process.

    fast = torch.compile(model.eval(), backend="s2s")
    with torch.no_grad():
        y = fast(x)

A graph is compiled when it first runs, once for each set of input shapes; parameters become constants, and the graph is
compiled again when they have changed. What cannot be imported is run by torch. That, and breaks between graphs, are
logged as warnings of the logger `s2s`.
"""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor, fx, nn

from s2s.artifact import Artifact, compile_artifact
from s2s.errors import InputError, S2SError
from s2s.frontends.torch import export
from s2s.options import CompileOptions

Compiled = Callable[..., Any]
_LOGGER = logging.getLogger("s2s")
_reported: set[str] = set()
"""Graph breaks that have been logged."""


def compile_graph(
    graph: fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
    **named: Any,
) -> Compiled:
    """What `torch.compile` runs in place of `graph`; `options` are those of `s2s.compile`, and may also be named."""
    given = {**(options or {}), **named}
    unknown = sorted(given.keys() - {each.name for each in fields(CompileOptions)})
    if unknown:
        raise InputError(f"torch.compile: unknown option {unknown[0]!r}; give options of s2s.compile")
    if mode not in (None, "default"):
        raise InputError(f"torch.compile: s2s has no mode {mode!r}; leave it out, or give options of s2s.compile")
    report_graph_breaks()
    return _Graph(graph, CompileOptions(**given))


def report_graph_breaks() -> list[str]:
    """Log the reasons of all graph breaks that have not been logged yet, and return these."""
    from torch._dynamo.utils import counters

    found = [str(reason).splitlines()[0] for reason in counters["graph_break"]]
    new = [reason for reason in dict.fromkeys(found) if reason not in _reported]
    for reason in new:
        _reported.add(reason)
        _LOGGER.warning("torch.compile: graph break: %s; the graphs around it are compiled on their own", reason)
    return new


class _Frozen(nn.Module):
    """A graph whose parameters are its own, so that an export takes them for constants."""

    def __init__(self, graph: fx.GraphModule, inputs: Sequence[Any], fixed: Sequence[bool]) -> None:
        super().__init__()
        self.graph = graph
        self.fixed = list(fixed)
        for number, (value, is_fixed) in enumerate(zip(inputs, fixed, strict=True)):
            if is_fixed:
                self.register_buffer(f"fixed{number}", value.detach())

    def forward(self, *given: Any) -> Any:
        rest = iter(given)
        inputs = [
            getattr(self, f"fixed{number}") if is_fixed else next(rest) for number, is_fixed in enumerate(self.fixed)
        ]
        return self.graph(*inputs)


@dataclass
class _Graph:
    """A graph and the networks that it became, by the shapes of its inputs."""

    graph: fx.GraphModule
    options: CompileOptions
    networks: dict[object, Compiled] = field(default_factory=dict[object, Compiled])
    _versions: list[int] = field(default_factory=list[int])
    _fixed: list[bool] | None = None

    def __call__(self, *inputs: Any) -> Any:
        """Run the network for these shapes; it is made if there is none, or if a parameter has changed."""
        if self._fixed is None:
            self._fixed = self._constants(inputs)
        versions = [value._version for value, fixed in zip(inputs, self._fixed, strict=True) if fixed]
        if versions != self._versions:
            self.networks.clear()
            self._versions = versions
        given = [value for value, fixed in zip(inputs, self._fixed, strict=True) if not fixed]
        key = tuple((value.shape, value.dtype) if isinstance(value, Tensor) else value for value in given)
        if key not in self.networks:
            self.networks[key] = self._made(inputs, given)
        return self.networks[key](*given)

    def _constants(self, inputs: Sequence[Any]) -> list[bool]:
        """Which inputs are parameters or buffers of the module."""
        nodes = [node for node in self.graph.graph.nodes if node.op == "placeholder"]
        facts = [node.meta.get("tensor_dict", {}) for node in nodes]
        return [
            isinstance(value, nn.Parameter) or (isinstance(value, Tensor) and "_dynamo_static_input_type" in fact)
            for value, fact in zip(inputs, facts, strict=True)
        ]

    def _made(self, inputs: Sequence[Any], given: Sequence[Any]) -> Compiled:
        """The network on C, or the graph itself where it cannot be compiled."""
        assert self._fixed is not None
        frozen = _Frozen(self.graph, inputs, self._fixed)
        try:
            exported = export(frozen, [each.detach() if isinstance(each, Tensor) else each for each in given])
            return _Run(compile_artifact(exported, self.options), given)
        except S2SError as error:
            _LOGGER.warning("torch.compile: a graph is run by torch: %s", error)
            return frozen


class _Run:
    """The run function of a network on tensors: inputs are copied to memory that is set up once."""

    def __init__(self, artifact: Artifact, given: Sequence[Any]) -> None:
        self._artifact = artifact
        network = artifact.loaded()
        self._inputs = [torch.empty(each.shape, dtype=each.dtype) for each in given if isinstance(each, Tensor)]
        arrays = [each.numpy() for each in self._inputs]
        bound = network.bind(dict(zip([port.name for port in network.inputs], arrays, strict=True)))
        self._call = bound.call
        self._outputs = [torch.from_numpy(each) for each in bound.outputs]
        self._lock = threading.Lock()

    def __call__(self, *given: Any) -> tuple[Tensor, ...]:
        tensors = [each for each in given if isinstance(each, Tensor)]
        with self._lock:
            for place, value in zip(self._inputs, tensors, strict=True):
                place.copy_(value)
            self._call()
            return tuple(each.clone() for each in self._outputs)
