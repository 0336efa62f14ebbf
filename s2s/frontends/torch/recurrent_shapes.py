"""Give torch the shapes of recurrent layers without their steps, so that the length of a sequence stays a size.

torch infers the shapes of `aten.lstm` by running its decomposition, which loops over the steps in Python: the number of
steps becomes a constant, and so does every size that it follows from.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

LAYERS = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def has_layers(module: Any) -> bool:
    """Return whether a module of torch, or the graph of a program, has recurrent layers."""
    torch = import_module("torch")
    if isinstance(module, torch.nn.Module):
        return any(isinstance(layer, torch.nn.RNNBase) for layer in module.modules())
    return any(node.target in _overloads(torch) for node in module.nodes)


def _overloads(torch: Any) -> list[Any]:
    return [getattr(torch.ops.aten, name).input for name in LAYERS]


@contextmanager
def lengths_kept(torch: Any) -> Generator[None]:
    """Have torch infer the shapes of recurrent layers by a rule while it exports or decomposes a program."""
    layers = _overloads(torch)
    before = {layer: dict(layer.py_kernels) for layer in layers}
    decompositions = torch._decomp.decomposition_table
    decomposed = {layer: decompositions[layer] for layer in layers if layer in decompositions}
    composite, autograd = torch._C.DispatchKey.CompositeImplicitAutograd, torch._C.DispatchKey.Autograd
    for layer in layers:
        computed = before[layer].get(composite) or partial(layer._op_dk, composite)
        rule = _rule(torch, layer, computed)
        layer.py_kernels |= dict.fromkeys((composite, autograd), rule)
        if layer in decomposed:
            decompositions[layer] = rule
        layer._dispatch_cache.clear()
    try:
        yield
    finally:
        decompositions |= decomposed
        for layer, kernels in before.items():
            layer.py_kernels.clear()
            layer.py_kernels |= kernels
            layer._dispatch_cache.clear()


def _rule(torch: Any, layer: Any, computed: Any) -> Callable[..., tuple[Any, ...]]:
    """Return what gives fake tensors for fake ones, and computes a layer of others."""
    names = [parameter.name for parameter in layer._schema.arguments]
    plain = torch.Tensor, torch.nn.Parameter

    def rule(*args: Any, **named: Any) -> tuple[Any, ...]:
        arguments = {**dict(zip(names, args, strict=False)), **named}
        x, states = arguments["input"], arguments["hx"]
        if type(x) in plain:
            return computed(*args, **named)
        states = [states] if isinstance(states, torch.Tensor) else list(states)
        columns = states[0].shape[-1] * (2 if arguments["bidirectional"] else 1)
        return x.new_empty((*x.shape[:-1], columns)), *(state.new_empty(state.shape) for state in states)

    return rule
