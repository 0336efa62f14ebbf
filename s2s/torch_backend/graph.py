"""A graph of `torch.compile`, and the networks that it becomes."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, fx, nn

from s2s.errors import S2SError
from s2s.frontends.names import one_line
from s2s.options import CompileOptions
from s2s.torch_backend.contents import Contents, changes
from s2s.torch_backend.network import Network

LOGGER = logging.getLogger("s2s")

PLAIN = (Tensor, nn.Parameter)
"""The classes of tensors that are nothing but their elements."""
Key = tuple[object, ...]


@dataclass
class Graph:
    """A graph and its networks, by all that they depend on: the inputs that are no constants, the constants, and what
    torch does to operators (`autocast`).

    torch passes parameters and buffers as inputs, and calls one graph for all modules that are alike. Parameters are
    constants of the network, with their contents as part of its key; with `freezing` their identity and memory stand
    for the contents. A buffer that changes between calls becomes an input.
    """

    graph: fx.GraphModule
    options: CompileOptions
    freezing: bool = False
    networks: dict[Key, Network | None] = field(default_factory=dict[Key, Network | None])
    """None stands for a network that torch has to run."""
    _static: list[int] | None = None
    """The inputs that are parameters or buffers; of these, the constants."""
    _contents: Contents | None = None
    _known: dict[tuple[int, ...], Any] = field(default_factory=dict[tuple[int, ...], Any])
    """The contents that the parameters and buffers of a module had in its last call, by their identities."""
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _told: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self._enables_gradients = any(
            node.target is torch._C._set_grad_enabled and node.args == (True,)  # pyright: ignore[reportPrivateUsage]
            for node in self.graph.graph.nodes
        )

    def __call__(self, *inputs: Any) -> Any:
        """Run the network for these inputs; torch runs the graph where there can be none."""
        records = torch.is_grad_enabled() or self._enables_gradients
        if records and any(isinstance(each, Tensor) and each.requires_grad for each in inputs):
            self._tell("gradients are recorded; call it under torch.no_grad() for inference")
            return self.graph(*inputs)
        if not all(map(_is_readable, inputs)):
            self._tell("its tensors are no plain ones of the CPU; move the module there, and give dense tensors")
            return self.graph(*inputs)
        with self._lock, torch.no_grad():
            network = self._network(inputs)
        if network is None or not network.fits(inputs):
            return self.graph(*inputs)
        with torch.no_grad():
            outputs = network(inputs)
        return self.graph(*inputs) if outputs is None else outputs  # torch tells by its errors what is wrong

    def _network(self, inputs: Sequence[Any]) -> Network | None:
        if self._static is None:
            self._static = self._parameters(inputs)
        key = self._key(inputs)
        if key not in self.networks:
            network = self._made(inputs)
            moving = set() if network is None else set(network.changed).intersection(self._static)
            if moving:
                self._forget_all(moving)
                key = self._key(inputs)
            self.networks[key] = network
        return self.networks[key]

    def _key(self, inputs: Sequence[Any]) -> Key:
        """What a network depends on; buffers that have changed are inputs from here on."""
        constants = self._constants(inputs)
        kinds = tuple(_kind(each) for n, each in enumerate(inputs) if n not in (self._static or ()))
        return constants, kinds, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")

    def _forget_all(self, moving: Collection[int]) -> None:
        """Forget all networks: these parameters and buffers are constants no more."""
        self._static = [n for n in self._static or () if n not in moving]
        self._contents = None
        self._known.clear()
        self.networks.clear()

    def _parameters(self, inputs: Sequence[Any]) -> list[int]:
        """The inputs that are parameters or buffers of a module."""
        nodes = [node for node in self.graph.graph.nodes if node.op == "placeholder"]
        facts = [node.meta.get("tensor_dict", {}) for node in nodes]
        return [
            number
            for number, (value, fact) in enumerate(zip(inputs, facts, strict=True))
            if isinstance(value, nn.Parameter) or (isinstance(value, Tensor) and "_dynamo_static_input_type" in fact)
        ]

    def _constants(self, inputs: Sequence[Any]) -> Key:
        """The facts that tell the constants of two networks apart."""
        assert self._static is not None
        tensors = [inputs[number] for number in self._static]
        identities = tuple(map(id, tensors))
        if self.freezing:
            if identities not in self._known:
                self._watch(tensors, identities)
            found = tuple((id(each), each.data_ptr(), each.shape, each.stride()) for each in tensors)
            self._known[identities] = found
            return found
        if self._contents is None:
            self._contents = Contents(len(tensors))
        found, before = self._contents.of(tensors), self._known.get(identities)
        if before is None:
            self._watch(tensors, identities)
        self._known[identities] = found
        if before is None or before == found:
            return found
        self._drop(before)
        changed = [self._static[each] for each in changes(before, found)]
        buffers = {n for n in changed if not isinstance(inputs[n], nn.Parameter)}
        if not buffers:
            return found
        self._forget_all(buffers)
        return self._constants(inputs)

    def _drop(self, contents: Key) -> None:
        """Forget the networks with these constants, unless a module has them still."""
        if contents not in self._known.values():
            for key in [key for key in self.networks if key[0] == contents]:
                del self.networks[key]

    def _watch(self, tensors: Sequence[Tensor], identities: tuple[int, ...]) -> None:
        """Forget the networks of a module when one of its tensors is freed, whose identity another one may get."""
        for each in tensors:
            weakref.finalize(each, _forgotten, weakref.WeakMethod(self._forget), identities)

    def _forget(self, identities: tuple[int, ...]) -> None:
        """Forget the networks of a module of which a tensor was freed."""
        contents = self._known.pop(identities, None)
        if contents is not None:
            self._drop(contents)

    def _made(self, inputs: Sequence[Any]) -> Network | None:
        assert self._static is not None
        try:
            return Network(self.graph, inputs, self._static, self.options)
        except S2SError as error:
            self._tell(str(error))
        except Exception as error:  # a module that torch can run must run, whatever fails here
            self._tell(f"{type(error).__name__}: {one_line(str(error))}; this is a bug of s2s, please report it")
        return None

    def _tell(self, reason: str) -> None:
        """Log once why torch runs the graph."""
        if reason not in self._told:
            self._told.add(reason)
            LOGGER.warning("torch.compile: a graph is run by torch: %s", reason)


def _is_readable(value: Any) -> bool:
    """Whether a value is no tensor, or one whose elements lie in memory of the processor. The tensors of other classes
    (`torchao`), of other layouts (sparse) and quantised ones consist of several."""
    if not isinstance(value, Tensor):
        return True
    is_plain = type(value) in PLAIN and value.layout is torch.strided and not value.is_quantized
    return is_plain and value.device.type == "cpu"


def _kind(value: Any) -> object:
    """What a network depends on of an input that it is given: type and shape of a tensor, the value of a number."""
    return (value.shape, value.dtype) if isinstance(value, Tensor) else (type(value), repr(value))


def _forgotten(forget: weakref.WeakMethod[Callable[[tuple[int, ...]], None]], identities: tuple[int, ...]) -> None:
    method = forget()
    if method is not None:
        method(identities)
