"""Convolutions of any parameters through C, against onnxruntime."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.networks.builder import Network
from s2s import api
from s2s.targets import get_target
from s2s.types.dtypes import Array
from s2s.verify.toolchain import accepts_flags, default_compiler
from support.compiled import run_c
from support.random_convolutions import Convolution, convolutions, network
from support.threads import one_thread

EXAMPLES = 6
"""Each takes a run of the C compiler."""
TOLERANCE = 1e-4
"""Of the largest result: sums of other orders, and of tiles that are transformed."""
TARGETS = [
    name
    for name in ("host", "x86-64-v2", "x86-64-v3")
    if accepts_flags((*default_compiler(), *get_target(name).cflags))
]


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layers=st.lists(convolutions(), min_size=1, max_size=4), target=st.sampled_from(TARGETS))
def test_convolutions_give_what_onnxruntime_does(layers: Sequence[Convolution], target: str, tmp_path: Path) -> None:
    path = tmp_path / "convolutions.onnx"
    path.write_bytes(network(layers).SerializeToString())
    onnxruntime: Any = import_module("onnxruntime")
    session = onnxruntime.InferenceSession(str(path), one_thread(), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    shapes: dict[str, list[int]] = {port.name: port.shape for port in session.get_inputs()}
    feeds = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    expected: Sequence[Array] = session.run(None, feeds)
    with api.compile(path, target=target) as artifact:
        found = run_c(artifact, list(feeds.values()))
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert np.abs(mine - theirs).max() <= TOLERANCE * np.abs(theirs).max(), (target, layers[number])


def test_an_infinity_stays_in_its_group_where_sums_are_exact(tmp_path: Path) -> None:
    net = Network("groups")
    path = tmp_path / "groups.onnx"
    path.write_bytes(net.model(net.conv(net.input(1, 32, 5, 5), 32, 3, groups=8)).SerializeToString())
    x = np.zeros((1, 32, 5, 5), np.float32)
    x[0, 4, 2, 2] = np.inf
    with api.compile(path, exact=True) as artifact:
        (found,) = run_c(artifact, [x])
    reached = {int(channel) // 4 for channel in np.argwhere(~np.isfinite(found))[:, 1]}
    assert reached == {1}
