# pyright: reportUnknownMemberType=false
"""Kernels name the module path and source line of a PyTorch program, whatever way it came."""

import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.export import ExportedProgram

from s2s.artifact import compile_artifact
from s2s.frontends.torch import LoadedModel
from s2s.frontends.torch.capture import export
from s2s.options import CompileOptions
from support.torch_networks import NETWORKS

ARCHITECTURES = ("resnet", "bert", "crnn", "unet", "mixture_of_experts")
PLACE = re.compile(r"[^ ]+ \([\w.]+\.py:\d+\)")
Route = Callable[[ExportedProgram, Sequence[Tensor], Path], ExportedProgram]


def saved(program: ExportedProgram, inputs: Sequence[Tensor], folder: Path) -> ExportedProgram:
    with warnings.catch_warnings(action="ignore"):
        torch.export.save(program, folder / "net.pt2")
        return torch.export.load(folder / "net.pt2")


def decomposed(program: ExportedProgram, inputs: Sequence[Tensor], folder: Path) -> ExportedProgram:
    with warnings.catch_warnings(action="ignore"):
        return program.run_decompositions()


def exported_again(program: ExportedProgram, inputs: Sequence[Tensor], folder: Path) -> ExportedProgram:
    return export(program.module(), inputs)


ROUTES: dict[str, tuple[Route, ...]] = {
    "exported": (),
    "saved": (saved,),
    "decomposed and saved": (decomposed, saved),
    "exported again and saved": (exported_again, saved),
}


@pytest.fixture(scope="module")
def programs() -> dict[str, tuple[ExportedProgram, Sequence[Tensor]]]:
    made = {name: NETWORKS[name]() for name in ARCHITECTURES}
    return {name: (export(module.eval(), inputs), inputs) for name, (module, inputs) in made.items()}


def gone(name: str, route: str, programs: dict[str, tuple[ExportedProgram, Sequence[Tensor]]], folder: Path):
    program, inputs = programs[name]
    for step in ROUTES[route]:
        program = step(program, inputs, folder)
    return program


@pytest.mark.sample(1, each="route")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_call_knows_module_and_line(
    name: str, route: str, programs: dict[str, tuple[ExportedProgram, Sequence[Tensor]]], tmp_path: Path
):
    calls = LoadedModel(gone(name, route, programs, tmp_path), "program", "net").program.graph.calls
    assert [call.place for call in calls if not PLACE.fullmatch(call.place)] == []
    assert len({call.place for call in calls}) > 3


def test_every_kernel_in_c_names_them(programs: dict[str, tuple[ExportedProgram, Sequence[Tensor]]], tmp_path: Path):
    program = gone("resnet", "decomposed and saved", programs, tmp_path)
    with compile_artifact(program, CompileOptions(target="c", name="net")) as artifact:
        text = artifact.tree().text("src/net_kernels.c")
        comments = re.findall(r"/\* ((?:(?!\*/).)*?) \*/\n(?:static )?void net_", text, re.DOTALL)
    assert len(comments) > 3
    assert [comment for comment in comments if not PLACE.search(comment)] == []
