"""Files of PyTorch: what is read, and that nothing in a file runs."""

import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from s2s.errors import InputError
from s2s.frontends import torch as frontend
from s2s.frontends.torch.archive import read_archive

Change = Callable[[str, bytes], bytes]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "net.pt2"
    torch.export.save(frontend.export(nn.Linear(3, 2), [torch.zeros(1, 3)]), path)
    return path


def changed(source: Path, target: Path, change: Change, extra: dict[str, bytes] | None = None) -> Path:
    """A copy of an archive with members changed or added."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.infolist():
            new.writestr(member.filename, change(member.filename, old.read(member)))
        root = old.infolist()[0].filename.partition("/")[0]
        for name, data in (extra or {}).items():
            new.writestr(f"{root}/{name}", data)
    return target


class Harmful:
    """Runs code when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.mark,)


def harmful_archive(folder: Path, mark: Path) -> bytes:
    """What torch.save writes of an object that runs code."""
    path = folder / "harm.pt"
    torch.save(Harmful(mark), path)
    return path.read_bytes()


def test_a_saved_program_is_read(saved: Path):
    assert [call.target for call in frontend.load_model(saved).program.graph.calls] == ["aten.linear.default"]


def test_a_pickle_that_runs_code_is_refused_and_does_not_run(saved: Path, tmp_path: Path):
    mark = tmp_path / "ran"
    harm = harmful_archive(tmp_path, mark)

    def change(name: str, data: bytes) -> bytes:
        return harm if "sample_inputs" in name else data

    path = changed(saved, tmp_path / "harm.pt2", change)
    with pytest.raises(
        InputError, match="holds more than tensors; if you know where the file comes from, give --trust"
    ):
        read_archive(path, trust=False)
    assert not mark.exists()


def test_a_weight_that_is_a_pickle_is_read_safely(saved: Path, tmp_path: Path):
    mark = tmp_path / "ran"
    harm = harmful_archive(tmp_path, mark)

    def change(name: str, data: bytes) -> bytes:
        if name.endswith("weight_0"):
            return harm
        if name.endswith("weights_config.json"):
            return data.replace(b'"use_pickle": false', b'"use_pickle": true')
        return data

    path = changed(saved, tmp_path / "harm.pt2", change)
    with pytest.raises(InputError, match="holds more than tensors"):
        read_archive(path, trust=False)
    assert not mark.exists()


def test_a_raw_pickle_is_refused(saved: Path, tmp_path: Path):
    mark = tmp_path / "ran"
    harm = pickle.dumps(Harmful(mark), protocol=0)

    def change(name: str, data: bytes) -> bytes:
        return harm if "sample_inputs" in name else data

    path = changed(saved, tmp_path / "harm.pt2", change)
    with pytest.raises(InputError, match="give --trust-model"):
        read_archive(path, trust=False)
    assert not mark.exists()


@pytest.mark.parametrize("member", ["data/aotinductor/model/net.so", "data/constants/custom_obj_0", "harm.py"])
def test_members_that_are_code_are_refused(saved: Path, tmp_path: Path, member: str):
    path = changed(saved, tmp_path / "harm.pt2", lambda _, data: data, {member: b"\x7fELF"})
    with pytest.raises(InputError, match="give --trust-model"):
        read_archive(path, trust=False)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("expr_str", "__import__('os').system('true')"),
        ("expr_str", "exec('1')"),
        ("expr_str", "s0.__class__"),
        ("expr_str", "lambda: 1"),
        ("target", "torch.ops.os.system"),
        ("target", "torch.hub.load"),
    ],
)
def test_texts_that_torch_would_evaluate_are_refused(saved: Path, tmp_path: Path, key: str, text: str):
    def change(name: str, data: bytes) -> bytes:
        if "/models/" not in name:
            return data
        program = json.loads(data)
        program["graph_module"]["harm"] = {key: text}
        return json.dumps(program).encode()

    path = changed(saved, tmp_path / "harm.pt2", change)
    with pytest.raises(InputError, match="give --trust-model"):
        read_archive(path, trust=False)


@pytest.mark.parametrize(
    "text",
    [
        "s0",
        "2*s0 + 1",
        "Max(1, s0)",
        "FloorDiv(s0, 2)",
        "s77 <= 9",
        "Mod(s0 - 1, 4)",
        "Add(Mul(Integer(8), Symbol('s27', positive=True, integer=True)), Rational(1, 2))",
    ],
)
def test_sizes_are_expressions_of_symbols(text: str):
    from s2s.frontends.torch.expressions import is_arithmetic

    assert is_arithmetic(text)


def test_a_program_with_open_sizes_is_read(tmp_path: Path):
    dynamic = ({0: torch.export.Dim("batch", max=64)},)
    path = tmp_path / "open.pt2"
    torch.export.save(frontend.export(nn.Linear(3, 2), [torch.zeros(2, 3)], None, dynamic), path)
    assert frontend.load_model(path).program.inputs[0].info.shape == (None, 3)


def test_what_is_no_archive_is_refused(tmp_path: Path):
    path = tmp_path / "net.pt2"
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"is no archive of torch; save the program with torch\.export\.save"):
        read_archive(path, trust=False)


@pytest.mark.parametrize("trust", [False, True])
def test_weights_and_modules_are_refused_with_what_they_are(trust: bool, tmp_path: Path):
    module = nn.Linear(3, 2)
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    torch.save(module, tmp_path / "module.pt")
    torch.jit.save(torch.jit.trace(module, torch.zeros(1, 3)), str(tmp_path / "script.pt"))  # pyright: ignore[reportUnknownMemberType]
    for name, what in (
        ("weights", "weights or a pickled module"),
        ("module", "weights or a pickled module"),
        ("script", "a module of TorchScript"),
    ):
        with pytest.raises(InputError, match=rf"{name}\.pt: holds {what}, .*as in model\.py:make_model"):
            read_archive(tmp_path / f"{name}.pt", trust=trust)


def test_a_function_of_a_python_file_makes_a_model(tmp_path: Path):
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\ndef make_model():\n    return torch.nn.Linear(3, 2), (torch.zeros(1, 3),)\n", encoding="utf-8"
    )
    loaded = frontend.load_model(f"{path}:make_model")
    assert loaded.name == "net"
    assert loaded.program.inputs[0].info.shape == (1, 3)


def test_a_python_file_that_has_changed_makes_another_model(tmp_path: Path):
    path = tmp_path / "net.py"
    shapes: list[tuple[int | None, ...]] = []
    for width in (3, 14):
        text = f"import torch\ndef make_model():\n    return torch.nn.ReLU(), (torch.zeros(1, {width}),)\n"
        path.write_text(text, encoding="utf-8")
        shapes.append(frontend.load_model(f"{path}:make_model").program.inputs[0].info.shape)
    assert shapes == [(1, 3), (1, 14)]


def test_a_python_file_without_a_function_is_refused_and_not_run(tmp_path: Path):
    path = tmp_path / "net.py"
    path.write_text("raise SystemExit('was run')\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"net\.py: is a file of Python; name its function .*net\.py:make_model"):
        frontend.load_model(path)


def test_a_function_that_returns_something_else_is_refused(tmp_path: Path):
    path = tmp_path / "net.py"
    path.write_text("def make_model():\n    return 3\n", encoding="utf-8")
    with pytest.raises(InputError, match="returns int; return a module and a tuple of example inputs"):
        frontend.load_model(f"{path}:make_model")
