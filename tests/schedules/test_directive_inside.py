"""A new directive of the package itself touches two of its files: one of its own, and the list of directives."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.onnx_text import onnx_model
from support.project import ROOT

TOUCH = '''"""`touch`: bring each element of a read into the first cache when it is used."""

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects import loop
from s2s.dialects.tensor import Directive, ScheduleState
from s2s.dialects.tensor.directive import Scheduled


@irdl_attr_definition
class Touch(Directive):
    """Bring each element of a read into the first cache when it is used: `touch<0>`."""

    name = "schedule.touch"

    read: IntAttr

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        if self.read.data != 0:
            raise VerifyException(f"{op.name}: touch names read {self.read.data}; name read 0")

    def lower(self, loops: Any) -> None:
        def touch() -> None:
            read = loops.reads[self.read.data]
            affine_map, indices = loops.emitter.space.emit(read.position(loops.dims))
            loops.emitter.add(loop.PrefetchOp(read.buffer, affine_map, indices, near=True))

        loops.before_step.append(touch)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"touch read {self.read.data}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.read.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]
'''
MODEL = "(float[4, 16] x) => (float[4] y) { [largest] y = ReduceMax <axes = [1], keepdims = 0> (x) }"


UNROLL = "from s2s.schedules.directives.unroll import Unroll\n"
COMPILE = """
import sys
import s2s

with s2s.compile("net.onnx", target="c", name="net") as own:
    (kernel,) = [each.subject for each in own.decisions if each.kind == "schedule"]
chosen = {"kind": "schedule", "subject": kernel, "chosen": "#tensor.schedule<[touch<0>]>"}
with s2s.compile("net.onnx", target="c", name="net", decisions={"format": 1, "decisions": [chosen]}) as touched:
    assert touched.verify().passed
    touched.write("tree")
"""


def add_touch(directives: Path) -> None:
    """All that the directive needs: a file, and two lines of the list of directives."""
    (directives / "touch.py").write_text(TOUCH)
    listed = directives / "__init__.py"
    text = listed.read_text().replace(UNROLL, "from s2s.schedules.directives.touch import Touch\n" + UNROLL)
    listed.write_text(text.replace("        Tile,\n", "        Tile,\n        Touch,\n", 1))


def package_with_own_directives(folder: Path) -> Path:
    """Make the package `s2s` in `folder`: links to this checkout, and a copy of the directives, which is returned."""
    for inside in (Path("s2s"), Path("s2s/schedules")):
        (folder / inside).mkdir()
        for path in (ROOT / inside).iterdir():
            if path.name not in {"schedules", "directives", "__pycache__"}:
                (folder / inside / path.name).symlink_to(path)
    inside = "s2s/schedules/directives"
    return shutil.copytree(ROOT / inside, folder / inside, ignore=shutil.ignore_patterns("__pycache__"))


def test_two_files_make_a_directive(tmp_path: Path):
    add_touch(package_with_own_directives(tmp_path))
    (tmp_path / "net.onnx").write_bytes(onnx_model(MODEL).SerializeToString())
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", COMPILE], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    kernels = (tmp_path / "tree" / "src" / "net_kernels.c").read_text()
    assert "touch read 0" in kernels
    assert "s2s_prefetch" in kernels.lower()
