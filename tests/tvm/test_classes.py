"""Classes by which programs of TVM ask what an object is."""

from typing import Any

from s2s import tvm
from s2s.tvm import relay, te, tir


def same(mod: Any, ctx: Any) -> Any:
    """A pass that changes nothing."""
    return mod


def test_passes_operators_and_operations_have_their_classes():
    made = tvm.transform.module_pass(same, opt_level=0)
    assert isinstance(made, tvm.transform.ModulePass)
    assert isinstance(relay.op.get("nn.relu"), tvm.ir.Op)
    assert isinstance(te.placeholder((4,), name="A").op, te.PlaceholderOp)


def test_an_intrinsic_has_its_class():
    a = te.placeholder((4,), name="a")
    b = te.compute((4,), lambda i: a[i] + 1.0, name="b")

    def body(ins: Any, outs: Any) -> Any:
        builder = tir.ir_builder.create()
        builder.emit(tir.call_extern("int32", "plus", outs[0].access_ptr("w"), ins[0].access_ptr("r")))
        return builder.get()

    assert isinstance(te.decl_tensor_intrin(b.op, body), te.TensorIntrin)


def test_effects_of_calls_have_numbers():
    assert isinstance(tir.CallEffectKind.Pure, int)
    assert tir.CallEffectKind(int(tir.CallEffectKind.Pure)) is tir.CallEffectKind.Pure


def test_pools_are_in_the_module_of_modules():
    target = tvm.target.Target("c -mcpu=cortex-m4")
    pools = tvm.ir.ConstantMemoryPools([tvm.ir.ConstantPoolInfo("flash", [target])])
    assert [each.pool_name for each in pools.pools] == ["flash"]
