"""microTVM's names: targets of boards, archives, and what is refused."""

from pathlib import Path

import pytest

from s2s import tvm
from s2s.errors import InputError
from s2s.tvm import relay
from s2s.tvm.relay.factory import ExecutorFactory


def library() -> ExecutorFactory:
    x = relay.var("x", shape=(1, 4))
    return relay.build(tvm.IRModule.from_expr(relay.nn.relu(x)), target=tvm.micro.testing.get_target("crt"))


def test_an_archive_is_exported(tmp_path: Path):
    tvm.micro.export_model_library_format(library(), tmp_path / "net.tar")
    assert (tmp_path / "net.tar").stat().st_size > 0


@pytest.mark.parametrize(("board", "cpu"), [("nucleo_l4r5zi", "cortex-m4"), ("nucleo_f746zg", "cortex-m7")])
def test_a_board_has_the_target_of_its_processor(board: str, cpu: str):
    assert f"-mcpu={cpu}" in str(tvm.micro.testing.get_target("zephyr", board))


def test_vectors_are_left_out_on_request():
    x = relay.var("x", shape=(64,))
    module = tvm.IRModule.from_expr(relay.nn.relu(x))
    sources: list[str] = []
    for scalar in (False, True):
        with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": scalar}):
            sources.append(relay.build(module, target="x86-64-v3").get_source())
    assert ("s2s_f32x8" in sources[0], "s2s_f32x8" in sources[1]) == (True, False)


def test_a_loader_names_a_board():
    folder = tvm.micro.get_microtvm_template_projects("crt")
    assert tvm.micro.AutoTvmModuleLoader(folder, {"board": "m4"}).place == "qemu:m4"
    assert tvm.micro.AutoTvmModuleLoader(folder, {}).place is None
    with pytest.raises(InputError, match=r"board 'due' is not known; give one of qemu:"):
        _ = tvm.micro.AutoTvmModuleLoader(folder, {"board": "due"}).place


def test_a_builder_checks_its_options():
    with pytest.raises(InputError, match=r"LocalBuilder: build_func 'ndk': there is one way to build; leave it out"):
        tvm.autotvm.LocalBuilder(build_func="ndk")
    with pytest.raises(InputError, match=r"LocalBuilder: tir.disable_vectorize: x86-64-v3 has vectors"):
        tvm.autotvm.LocalRunner().measurer(
            tvm.target.resolve("x86-64-v3"),
            tvm.autotvm.LocalBuilder(build_kwargs={"build_option": {"tir.disable_vectorize": True}}),
        )
    tvm.autotvm.LocalBuilder(build_kwargs={"build_option": {"tir.disable_vectorize": True}}).check(
        tvm.target.resolve("cortex-m4")
    )
