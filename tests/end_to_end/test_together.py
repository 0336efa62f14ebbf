"""Several networks in one tree: they compute as they do alone, and hold once what they have in common."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.cli.together import describe_joint
from s2s.errors import InputError, UnsupportedError
from s2s.joint.artifact import JointArtifact
from support.c_compilers import WARNINGS, require, run

ANY: Any = "any"
INCLUDES = ("-Iinclude", "-Isrc", "-Iruntime/include")


def classifier(classes: int, *, name: str, hidden: int = 16, seed: int = 0) -> onnx.ModelProto:
    """A backbone whose constants follow from `seed`, and a head for so many classes."""
    text = f"""
    <ir_version: 8, opset_import: ["" : 17]>
    {name} (float[1, 8] x) => (float[1, {classes}] y)
    {{ a = Gemm(x, w1, b1)  b = Relu(a)  c = Gemm(b, w2)  y = Softmax(c) }}
    """
    model = onnx.parser.parse_model(text)
    generator = np.random.default_rng(seed)
    shared = {"w1": (8, hidden), "b1": (hidden,)}
    arrays = {key: generator.standard_normal(shape).astype(np.float32) for key, shape in shared.items()}
    arrays["w2"] = np.random.default_rng(classes).standard_normal((hidden, classes)).astype(np.float32)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, key) for key, array in arrays.items())
    return model


def counter() -> onnx.ModelProto:
    """A network that adds what it is given to a state."""
    return onnx.parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    counter (float[4] x, float[4] old) => (float[4] y, float[4] new) { new = Add(x, old)  y = Mul(new, new) }
    """)


def compiled(model: onnx.ModelProto, name: str, **options: object) -> api.Artifact:
    return api.compile(model, target="c", name=name, **options)  # pyright: ignore[reportArgumentType]


@pytest.fixture(scope="module")
def heads() -> list[api.Artifact]:
    """Two networks of one backbone."""
    return [compiled(classifier(classes, name=name), name) for name, classes in (("cats", 5), ("dogs", 7))]


@pytest.fixture(scope="module")
def joint(heads: list[api.Artifact]) -> Iterator[JointArtifact]:
    with api.together(heads, name="pets") as made:
        yield made


def record(joint: JointArtifact) -> dict[str, object]:
    return json.loads(joint.tree().text("metadata.json"))


def test_each_network_computes_as_it_does_alone(joint: JointArtifact):
    results = joint.verify()
    assert list(results) == ["cats", "dogs"]
    assert all(result.passed for result in results.values())


def test_kernels_that_are_alike_are_shared_and_compute_the_same(heads: list[api.Artifact]):
    with api.together(heads, name="pets", share="alike") as made:
        assert made.report().shared_kernels > 1
        assert describe_joint(made.report())["sharing"].startswith("alike kernels are one and no loop is unrolled")
        x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)
        for artifact in heads:
            assert made.loaded(artifact.name).run({"x": x})["y"].tobytes() == artifact.run({"x": x})["y"].tobytes()


def test_the_backbone_is_there_once(joint: JointArtifact):
    report = joint.report()
    assert report.shared_kernels == 1
    assert report.shared_weights >= 4 * (8 * 16 + 16)
    source = joint.tree().text("src/pets_kernels.c")
    assert "nodes of cats" in source
    assert "nodes of dogs" in source


def test_networks_with_nothing_in_common_share_nothing():
    parts = [compiled(classifier(3, name="a", hidden=4), "a"), compiled(classifier(4, name="b", seed=1), "b")]
    tree = api.together(parts, name="both").tree()
    assert not any(path.startswith("src/both") for path in tree)


def test_the_arena_is_that_of_the_largest_network(joint: JointArtifact, heads: list[api.Artifact]):
    assert joint.report().arena == max(artifact.report().arena for artifact in heads)


def test_concurrent_networks_have_room_side_by_side(heads: list[api.Artifact]):
    info = api.together(heads, name="pets", concurrent=True).info
    first, second = info.offsets
    assert first == 0
    assert second >= heads[0].report().arena
    assert info.arena_size == second + heads[1].report().arena


def test_state_survives_the_runs_of_others(heads: list[api.Artifact]):
    stateful = compiled(counter(), "counter", states={"old": "new"})
    info = api.together([*heads, stateful], name="mix").info
    others = max(artifact.report().arena for artifact in heads)
    assert info.offsets[:2] == (0, 0)
    assert info.offsets[2] >= others


def test_the_tree_builds_and_tests_itself_without_warnings(joint: JointArtifact, tmp_path: Path):
    require("gcc")
    joint.write(tmp_path / "pets")
    for source in sorted((tmp_path / "pets").rglob("*.c")):
        run(["gcc", *WARNINGS, *INCLUDES, "-fsyntax-only", source.relative_to(tmp_path / "pets")], tmp_path / "pets")
    done = subprocess.run(["make", "-s", "test"], cwd=tmp_path / "pets", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("passed") == 2


def test_one_program_runs_both_networks_in_one_arena(joint: JointArtifact, tmp_path: Path):
    """The arena is as large as the header says, with a guard behind it; no name and no header clashes."""
    require("gcc")
    joint.write(tmp_path / "pets")
    (tmp_path / "main.c").write_text(
        """
        #include "pets.h"
        #include "s2s_arena.h"
        S2S_ARENA(arena, PETS_ARENA_SIZE + 8, PETS_ARENA_ALIGN);
        int main(void)
        {
            float x[CATS_X_SIZE] = {1.0f}, cats[CATS_Y_SIZE], dogs[DOGS_Y_SIZE];
            for (int i = 0; i < 8; i++) arena[PETS_ARENA_SIZE + i] = 0x5a;
            if (cats_run(arena + PETS_CATS_ARENA, x, cats) || dogs_run(arena + PETS_DOGS_ARENA, x, dogs)) return 1;
            for (int i = 0; i < 8; i++) if (arena[PETS_ARENA_SIZE + i] != 0x5a) return 2;
            return cats[0] > 0.0f && dogs[0] > 0.0f ? 0 : 3;
        }
        """
    )
    sources = [str(path) for path in (tmp_path / "pets" / "src").glob("*.c")]
    include = [f"-I{tmp_path / 'pets' / folder}" for folder in ("include", "src", "runtime/include")]
    run(["gcc", "-std=c99", *include, "main.c", *sources, "-lm", "-o", "program"], tmp_path)
    assert subprocess.run([tmp_path / "program"], check=False).returncode == 0


def test_a_written_tree_loads_by_network(joint: JointArtifact, heads: list[api.Artifact], tmp_path: Path):
    path = joint.write(tmp_path / "pets")
    x = np.ones((1, 8), np.float32)
    with api.load(path, network="dogs") as loaded:
        assert loaded.run({"x": x})["y"].tobytes() == heads[1].run({"x": x})["y"].tobytes()
    with pytest.raises(InputError, match="holds several networks, cats, dogs"):
        api.load(path)
    shutil.rmtree(path)


def test_the_record_states_each_network_and_what_is_shared(joint: JointArtifact):
    found = record(joint)
    assert list(found["networks"]) == ["cats", "dogs"]  # pyright: ignore[reportArgumentType]
    assert found["shared"]["kernels"]  # pyright: ignore[reportIndexIssue]


REFUSED: list[tuple[Callable[[list[api.Artifact]], object], str]] = [
    (lambda heads: api.together([], name="pets"), "there is no network"),
    (lambda heads: api.together([heads[0], heads[0]], name="pets"), "cats: tree and networks need different names"),
    (lambda heads: api.together(heads, name="cats"), "cats: tree and networks need different names"),
    (lambda heads: api.together(heads, name="My Pets"), "try my_pets"),
    (lambda heads: api.together(heads, share=ANY), "--share any"),
    (
        lambda heads: api.together([heads[0], api.compile(counter(), target="cortex-m4", name="m4")], name="pets"),
        "m4: its target is not that of cats",
    ),
    (
        lambda heads: api.together([api.compile(counter(), target="c", name="t", executor="graph")], name="pets"),
        "executor graph",
    ),
]


@pytest.mark.parametrize(("make", "error"), REFUSED)
def test_what_cannot_be_together_is_refused(
    heads: list[api.Artifact], make: Callable[[list[api.Artifact]], object], error: str
):
    with pytest.raises((InputError, UnsupportedError), match=error):
        make(heads)
