"""What modules return beside tuples and dictionaries: dataclasses, and classes that were registered as trees."""
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

Path = tuple["str | int", ...]


def output_names(spec: Any, count: int) -> list[str]:
    """Names after the keys and positions of what a module returns: `output`, `output1`, `logits`."""
    from torch.utils import _pytree as pytree

    whole = pytree.tree_unflatten(list(range(count)), spec)
    names: list[str] = []
    for keys in _paths(whole):
        words = "_".join(key for key in keys if isinstance(key, str))
        numbers = "_".join(str(key) for key in keys if isinstance(key, int))
        names.append(f"{words or 'output'}{numbers if count > 1 else ''}")
    return names


def _paths(value: Any) -> list[Path]:
    """The keys that lead to each leaf of a tree."""
    from torch.utils import _pytree as pytree

    kind = pytree._get_node_type(value)  # pyright: ignore[reportPrivateUsage]
    node = pytree.SUPPORTED_NODES.get(kind)
    if node is None:
        return [()]
    if node.flatten_with_keys_fn is not None:
        pairs = [(_key(key), child) for key, child in node.flatten_with_keys_fn(value)[0]]
    else:
        children = list(node.flatten_fn(value)[0])
        pairs = [(_name(value, child, number), child) for number, child in enumerate(children)]
    return [(key, *rest) for key, child in pairs for rest in _paths(child)]


def _name(value: Any, child: Any, number: int) -> str | int:
    """The attribute or key that holds a child of an object that does not tell, else its position."""
    named: Mapping[Any, Any] = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    return next((key for key, held in named.items() if held is child and isinstance(key, str)), number)


def _key(entry: Any) -> str | int:
    for attribute in ("idx", "key", "name"):
        if hasattr(entry, attribute):
            found = getattr(entry, attribute)
            return found if isinstance(found, int) else str(found)
    return str(entry)


def register_dataclasses(module: Any, inputs: Sequence[object], named: Mapping[str, object]) -> bool:
    """Register the dataclasses that a copy of `module` takes and returns as trees; return whether there are any new
    ones."""
    import torch
    from torch.utils import _pytree as pytree

    with torch.no_grad():
        outputs = copy.deepcopy(module)(*inputs, **named)
    new: set[type] = set()
    waiting: list[Any] = pytree.tree_leaves((inputs, dict(named), outputs))
    while waiting:
        value = waiting.pop()
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            new.add(type(value))
            waiting += pytree.tree_leaves([getattr(value, field.name) for field in dataclasses.fields(value)])
    for each in sorted(new, key=lambda each: each.__qualname__):
        torch.export.register_dataclass(each)
    return bool(new)
