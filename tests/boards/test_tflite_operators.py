"""The operators of TFLite on emulated boards, with the kernels that their cores get: bit for bit."""

from pathlib import Path

import pytest
from frontends.tflite.test_operators_in_c import cases_of

from s2s.artifact import compile_artifact
from s2s.fuzz.tflite.engines import run_micro
from s2s.options import CompileOptions
from s2s.verify.on_board import BoardBuild
from support.boards import board_or_skip
from support.tflite_case import network
from support.tflite_cases import difference


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "kind"), [("qemu:m4", "int8"), ("qemu:m4", "int16"), ("qemu:m55", "int8")])
def test_operators_on_a_board(name: str, kind: str, tmp_path: Path):
    board = board_or_skip(name)
    cases = cases_of(kind)[::2]
    tree = compile_artifact(network(cases), CompileOptions(target=board.target)).tree()
    build = BoardBuild(tree.write(tmp_path), board, optimise="Os")
    try:
        run = build.run([[value for case in cases for value in case.inputs]], layers=False)
    finally:
        build.close()
    expected = [run_micro(case.model, case.inputs)[0] for case in cases]
    wrong = [difference(*each) for each in zip(cases, run.outputs[0], expected, strict=True)]
    assert [text for text in wrong if text] == []
