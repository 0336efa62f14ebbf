"""Find channels of a tensor that are equal at all positions, whatever the input.

    filters (1, 2), (3, 4), (1, 2) with biases 7, 7, 7      classes [0, 1, 0]: channel 2 equals channel 0

A class is named by its first channel. Channels stay equal through operations that treat them alike, and through layers
of groups that do. None stands for channels that are all different, as those of most networks are.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from s2s.analysis.channels.carried import ABSENT, Carried
from s2s.analysis.channels.layers import FIRST, Layer
from s2s.analysis.numbers.known_values import known_value
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore

Classes = Array | None
"""The first channel of the class of each channel; None if all differ."""


def layer_classes(layer: Layer, x: Classes) -> Classes:
    """Return the classes of the output channels of a layer: equal filters and biases on equal inputs."""
    begun = _classes(_begin(layer, channel) for channel in range(layer.outputs))
    if begun is None:
        return None
    read = _inputs(layer, x)
    per_group = layer.outputs // layer.groups
    doubtful = set(np.flatnonzero(np.bincount(begun, minlength=layer.outputs)[begun] > 1).tolist())
    return _classes(
        (read[channel // per_group], _begin(layer, channel), layer.filters[channel].tobytes())
        if channel in doubtful
        else channel
        for channel in range(layer.outputs)
    )


def carried_classes(
    op: Operation, carried: Carried, classes: Mapping[SSAValue, Classes], store: WeightStore
) -> Classes:
    """Return the classes of the channels that an operation hands on: equal ones, with equal parameters."""
    given = {n: classes.get(op.operands[n]) for n in carried.sources}
    if all(each is None for each in given.values()):
        return None
    parts: list[Sequence[Hashable]] = [_handed_on(source, given[n]) for n, source in carried.sources.items()]
    for n, axis in carried.parameters.items():
        value = known_value(op.operands[n], store)
        assert value is not None
        parts.append([row.tobytes() for row in np.moveaxis(value, axis, 0)])
    return _classes(zip(*parts, strict=True))


def _begin(layer: Layer, channel: int) -> Hashable:
    """The bias and the first weights of a filter, which tell most filters apart."""
    first = layer.filters[channel, :FIRST].tobytes()
    return first, None if layer.bias is None else layer.bias[channel].tobytes()


def _inputs(layer: Layer, x: Classes) -> list[Hashable]:
    """What each group of a layer reads."""
    if layer.groups == 1 or x is None:
        return list(range(layer.groups))
    return [tuple(group.tolist()) for group in x.reshape(layer.groups, -1)]


def _handed_on(source: Array, classes: Classes) -> list[Hashable]:
    """Name what each channel of a result comes from. A channel that comes several times, as one does that is merged
    with other axes, is another one each time."""
    times: dict[int, int] = {}
    names: list[Hashable] = []
    for place, channel in enumerate(source.tolist()):
        if channel == ABSENT:
            names.append(("absent", place))
            continue
        times[channel] = times.get(channel, -1) + 1
        names.append((channel if classes is None else int(classes[channel]), times[channel]))
    return names


def _classes(keys: Iterable[Hashable]) -> Classes:
    """Number keys by where they come first; None if each comes once."""
    first: dict[Hashable, int] = {}
    found = np.asarray([first.setdefault(key, place) for place, key in enumerate(keys)])
    return None if len(first) == found.size else found
