"""Products of two results and functions of one, as in attention and in the gates of an LSTM, are proved."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from s2s.api import compile as compile_network
from s2s.prove.arithmetic import Arithmetic
from s2s.prove.atoms import Atoms
from s2s.prove.certificate import PROVED, TESTED
from s2s.prove.ctypes import I32, U32
from s2s.prove.proof import prove_tree
from s2s.prove.values import Form, Lanes
from support.planted_bugs import Bug, with_bug
from support.qdq_networks import Network


def gated() -> bytes:
    """q * k of two slices, a softmax of it, and a sigmoid times a tanh."""
    net = Network()
    x = net.quantised("x", "input", 0.05, 3)
    parts = [
        net.node("Slice", [x, *(net.constant(f"{name}_{at}", np.array(ends)) for at, ends in enumerate(taken))], name)
        for name, *taken in (("q", [0, 0], [2, 4], [1, 2]), ("k", [4], [8], [2]))
    ]
    q, k = (net.quantised(part, f"{part}8", 0.05, 3) for part in parts)
    scores = net.node("MatMul", [q, net.node("Transpose", [k], "turned", perm=[0, 2, 1])], "scores")
    shares = net.node("Softmax", [net.quantised(scores, "scores8", 0.11, -7)], "shares", axis=-1)
    mixed = net.quantised(net.node("MatMul", [net.quantised(shares, "shares8", 0.004, -128), k], "mixed"), "m", 0.03, 5)
    gates = [net.quantised(net.node(kind, [mixed], kind.lower()), kind, 0.0078, 9) for kind in ("Sigmoid", "Tanh")]
    net.quantised(net.node("Mul", gates, "y"), "result", 0.004, -2)
    graph = helper.make_graph(
        net.nodes,
        "gated",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8])],
        [helper.make_tensor_value_info("result_d", TensorProto.FLOAT, [1, 2, 4])],
        net.constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("products")
    model = folder / "gated.onnx"
    model.write_bytes(gated())
    return model, compile_network(model, target="c").write(folder / "tree")


def test_all_but_the_softmax_of_floats_is_proved(network: tuple[Path, Path]):
    proof = prove_tree(*network)
    left = {kernel.node: (kernel.status, kernel.reason) for kernel in proof.kernels if kernel.status != PROVED}
    assert left == {"shares": (TESTED, "the reference has no Softmax")}


@pytest.mark.parametrize(
    ("term", "wrong"),
    [
        ("acc00 += (a0 - 3) * (b0 - 3)", "acc00 += (a0 - 3) * (b0 - 4)"),
        ("acc01 += (a0 - 3) * (b1 - 3)", "acc01 += (a0 - 3) * (b2 - 3)"),
        ("acc01 += (a0 - (-128)) * (b1 - 3)", "acc01 += (b1 - (-128)) * (b1 - 3)"),
    ],
)
def test_a_wrong_factor_is_found(term: str, wrong: str, network: tuple[Path, Path], tmp_path: Path):
    model, tree = network
    assert prove_tree(model, with_bug(tree, Bug("gated_kernels.c", term, wrong), tmp_path / "tree")).wrong


def arithmetic() -> tuple[Arithmetic, np.ndarray]:
    atoms = Atoms()
    ids = atoms.inputs("x", 2, -128, 127)
    return Arithmetic(atoms, Lanes()), ids


def atom(number: int, factor: int = 1, constant: int = 0) -> Form:
    low, high = sorted((-128 * factor + constant, 127 * factor + constant))
    return Form(constant, ((np.array([number]), np.array([factor])),), low, high)


def terms(form: object) -> tuple[dict[int, int], int]:
    assert isinstance(form, Form)
    ids, factors = form.groups[0]
    pairs = zip(ids.reshape(-1).tolist(), factors.reshape(-1).tolist(), strict=True)
    return {number: factor for number, factor in pairs if factor}, int(np.asarray(form.constant))


@pytest.mark.parametrize("ctype", [I32, U32])
def test_a_product_of_sums_is_a_sum_of_products(ctype: object):
    of, (x, y) = arithmetic()
    assert ctype in (I32, U32)
    product = of.binary("*", atom(x, 1, 5), atom(y, -2, 4), I32 if ctype == I32 else U32)
    assert terms(product) == ({of.atoms.product(x, y): -2, x: 4, y: -10}, 20)


def test_a_product_does_not_depend_on_the_order_of_its_factors():
    of, (x, y) = arithmetic()
    assert terms(of.binary("*", atom(x, 1, 5), atom(y), I32)) == terms(of.binary("*", atom(y), atom(x, 1, 5), I32))
