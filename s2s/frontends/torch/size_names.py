"""Name the open sizes of an exported program, and write the sizes of its inputs as formulas of them.

    dynamic_shapes={"x": {1: 4 * q}, "y": {0: q + 1}}      x [2, 4*q], y [q + 1], with q = 2..4
    the same, from a file                                  x [2, x_dim1], y [x_dim1 // 4 + 1], x_dim1 = 8, 12, 16

A program in memory knows the names of `torch.export.Dim`. A file does not keep them: there a size is called after the
first axis that has it, or that is a multiple of it.
"""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from s2s.frontends.torch.program import Bounds

_NAME = re.compile(r"[A-Za-z_]\w*")


class SizeNames:
    """The names of the symbols that torch has for the open sizes of inputs, and their bounds."""

    def __init__(self, shapes: Mapping[str, Sequence[Any]], allowed: Mapping[Any, Any]) -> None:
        """Name the sizes of inputs with these `shapes`, by name, for the values that the export has `allowed`."""
        self.bounds: dict[str, Bounds] = {}
        self._texts: dict[Any, str] = {}
        """What stands for a symbol in a formula, and for a multiple with a name."""
        axes = [(f"{port}_dim{axis}", size.node) for port, axis, size in _open_axes(shapes)]
        texts = _declared_names([node for _, node in axes])
        for name, node in axes:
            if node.expr in allowed and node.expr.is_Symbol:
                self._add(node.expr, texts.get(node.expr, name), allowed[node.expr])
        for name, node in axes:
            if node.expr in allowed and len(node.expr.free_symbols) == 1:
                self._add_multiple(node.expr, texts, name, allowed)

    def sizes(self, shape: Sequence[Any]) -> tuple[str, ...]:
        """Return for each axis of a shape its size as a name or a formula, empty where it is constant or not known."""
        return tuple("" if isinstance(size, int) else self._formula(size.node.expr) for size in shape)

    def _formula(self, expr: Any) -> str:
        if expr.is_Integer:  # one of `fixed_axes`
            return ""
        if expr in self._texts:
            return self._texts[expr]
        if any(symbol not in self._texts for symbol in expr.free_symbols):
            return ""
        texts = {str(symbol): self._texts[symbol] for symbol in expr.free_symbols}
        words = {word: text if _NAME.fullmatch(text) else f"({text})" for word, text in texts.items()}
        return _NAME.sub(lambda word: words.get(word[0], word[0]), str(expr))

    def _add(self, symbol: Any, name: str, values: Any) -> None:
        """Name a symbol, unless it has a name."""
        if symbol not in self._texts:
            self._texts[symbol] = name = self._new(name)
            self.bounds[name] = _bounds(values)

    def _new(self, name: str) -> str:
        """Return a name that no size has."""
        return self._new(f"{name}_") if name in self.bounds else name

    def _add_multiple(self, expr: Any, texts: Mapping[Any, str], name: str, allowed: Mapping[Any, Any]) -> None:
        """Name the symbol of a multiple: by the name that the program gives it, else the multiple in its stead."""
        (symbol,) = expr.free_symbols
        if symbol in self._texts:
            return
        if symbol in texts and symbol in allowed:
            self._add(symbol, texts[symbol], allowed[symbol])
            return
        offset, product = expr.as_coeff_Add()
        factor, rest = product.as_coeff_Mul()
        if not (rest.is_Symbol and factor.is_Integer and factor > 0 and offset.is_Integer):
            return
        name = self._new(name)
        shifted = name if offset == 0 else f"({name} - {offset})"
        self._texts |= {symbol: f"{shifted} // {factor}", expr: name}
        self.bounds[name] = _bounds(allowed[expr], int(factor), int(offset))


def fixed_axes(shape: Sequence[Any]) -> tuple[int, ...]:
    """Return the axes that the export left open and the program fixes: with `Dim.AUTO`, torch doesn't say so.

    In `x.reshape(4, 3)` with `dynamic_shapes={"x": {0: Dim.AUTO, 1: Dim.AUTO}}` these are 0 and 1. In a program from a
    file, both are plain integers.
    """
    return tuple(axis for axis, size in enumerate(shape) if not isinstance(size, int) and size.node.expr.is_Integer)


def _open_axes(shapes: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, int, Any]]:
    for port, shape in shapes.items():
        for axis, size in enumerate(shape):
            if not isinstance(size, int):
                yield port, axis, size


def _declared_names(nodes: Sequence[Any]) -> dict[Any, str]:
    """Return the names that `torch.export.Dim` gave symbols, where the program still knows them."""
    environment = nodes[0].shape_env if nodes else None
    names: Mapping[str, str] = getattr(environment, "source_name_to_debug_name", {})
    symbols: Mapping[str, Any] = getattr(environment, "source_to_var", {})
    axes = {symbols[source]: name for source, name in names.items() if source in symbols}
    alone = {node.expr: axes[node._expr] for node in nodes if node._expr in axes and _NAME.fullmatch(axes[node._expr])}
    roots = {symbol: name for name, symbol in symbols.items() if _NAME.fullmatch(name)}
    return {**roots, **alone}


def _bounds(values: Any, step: int = 1, offset: int = 0) -> Bounds:
    """Return the values that the export allows; a size of 0 is none for s2s."""
    least = int(values.lower)
    if least < 1:
        least = offset % step or step
    return Bounds(least, int(values.upper) if values.upper.is_Integer else None, step)
