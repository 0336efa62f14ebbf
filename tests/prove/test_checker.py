"""The small checker holds a certificate against the files, the calls and the arena's table."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2s.api import compile as compile_network
from s2s.prove.checker import Place, check
from s2s.prove.proof import prove_tree
from support.import_graph import import_graph
from support.proved_networks import quantised_network

Proved = tuple[Path, Path, Path]


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Proved:
    folder = tmp_path_factory.mktemp("checked")
    model, certificate = folder / "small.tflite", folder / "proof.json"
    model.write_bytes(quantised_network())
    tree = compile_network(model, target="c").write(folder / "tree")
    certificate.write_text(prove_tree(model, tree).to_json())
    return model, tree, certificate


def test_the_checker_imports_nothing_of_s2s():
    assert {other for other in import_graph()["s2s.prove.checker"] if other.startswith("s2s.")} == set()


def test_a_certificate_holds(proved: Proved):
    assert check(*proved) == 5
    done = subprocess.run(
        [sys.executable, "-m", "s2s.prove.checker", *proved], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("5 kernels: ")


@pytest.mark.parametrize("file", ["src/small_weights.c", "runtime/include/s2s_quantize.h", "metadata.json"])
def test_a_changed_file_is_refused(file: str, proved: Proved, tmp_path: Path):
    model, tree, certificate = proved
    copy = tmp_path / "tree"
    shutil.copytree(tree, copy)
    with (copy / file).open("a") as changed:
        changed.write(" ")
    with pytest.raises(ValueError, match=file):
        check(model, copy, certificate)
    done = subprocess.run(
        [sys.executable, "-m", "s2s.prove.checker", model, copy, certificate], capture_output=True, check=False
    )
    assert done.returncode == 1


def kernel_left_out(fields: dict[str, Any]) -> None:
    fields["kernels"].pop(2)


def kernel_not_proved(fields: dict[str, Any]) -> None:
    fields["kernels"][1]["status"] = "tested only"


def another_writer(fields: dict[str, Any]) -> None:
    fields["arena"]["accesses"][2]["reads"][0][2] += 7


def write_beyond_its_place(fields: dict[str, Any]) -> None:
    fields["arena"]["accesses"][3]["writes"].append([fields["arena"]["size"] - 8, fields["arena"]["size"]])


def accesses_left_out(fields: dict[str, Any]) -> None:
    fields["arena"]["accesses"] = []


EDITS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "kernel left out": (kernel_left_out, "not the calls"),
    "kernel not proved": (kernel_not_proved, "not all of its kernels"),
    "another writer": (another_writer, "did not leave"),
    "write beyond its place": (write_beyond_its_place, "of no tensor|beyond the arena"),
    "accesses left out": (accesses_left_out, "accesses of each kernel"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_certificate_is_refused(name: str, proved: Proved, tmp_path: Path):
    model, tree, certificate = proved
    edit, reason = EDITS[name]
    fields = json.loads(certificate.read_text())
    edit(fields)
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(fields))
    with pytest.raises(ValueError, match=reason):
        check(model, tree, edited)


def test_places_that_live_at_once_lie_apart():
    operand = Place(0, 64, 1, 3)
    assert not operand.meets(Place(32, 96, 3, 4))
    assert operand.meets(Place(32, 96, 2, 4))
    assert operand.meets(Place(0, 8, 3, 3, is_scratch=True))
    assert not operand.meets(Place(64, 96, 2, 4))
