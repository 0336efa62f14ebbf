"""The wheel and the sdist hold everything, install into a fresh environment and work outside the checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from support.git import commit, git
from support.project import PACKAGES, ROOT, source_files

VERSION = "0.3.1"
"""The version that a tag gives the checkout that is packed."""
STRANGER = re.compile(r"pip install (-\S+ )*['\"]?s2s(?![\w-])")
"""Advice to install the distribution `s2s`, which is another project's."""


def test_no_hint_leads_to_the_distribution_of_a_stranger():
    places = [*source_files("*.py"), ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert [str(place) for place in places if STRANGER.search(place.read_text())] == []


def test_package_list_equals_the_directories():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = {
        ".".join([name, *init.parent.relative_to(folder).parts])
        for name, folder in PACKAGES.items()
        for init in folder.rglob("__init__.py")
    }
    assert project["tool"]["setuptools"]["packages"] == sorted(found)


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a checkout at a tag, and the wheel built from that sdist."""
    folder = tmp_path_factory.mktemp("packaging")
    ignore = shutil.ignore_patterns(".*", "_version.txt", "__pycache__", "build", "dist", "out", "*.egg-info")
    shutil.copytree(ROOT, folder / "checkout", ignore=ignore, symlinks=True)
    commit(folder / "checkout", "release")
    git(folder / "checkout", "tag", f"v{VERSION}")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(folder / "checkout")]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path) -> Path:
    """The `bin` folder of a fresh environment that holds the wheel, and borrows only its dependencies."""
    environment = distributions / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    (wheel,) = distributions.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(pip, check=True)
    (site_packages,) = environment.glob("lib/python*/site-packages")
    # A .pth file adds a plain path: the editable install of s2s that lives there is not activated by it.
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def run(*command: str | Path, cwd: Path) -> str:
    """Run `command` far from the checkout and return what it prints."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_holds_every_file_of_the_packages(distributions: Path):
    (wheel,) = distributions.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {
        "/".join([*name.split("."), *file.relative_to(folder).parts])
        for name, folder in PACKAGES.items()
        for file in folder.rglob("*")
        if file.suffix in {".py", ".j2", ".c", ".h", ".ld", ".typed", ".txt", ".jsonl", ".toml", ".onnx", ".npz"}
        and "__pycache__" not in file.parts
    }
    assert packed == expected | {"s2s/_version.txt"}


def test_sdist_holds_the_tests_and_the_licence(distributions: Path):
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    for wanted in ("LICENSE", "CHANGELOG.md", "Makefile", "tests/conftest.py", "tests/opt/round_trip.mlir"):
        assert f"s2s_compiler-{VERSION}/{wanted}" in names


def test_wheel_is_imported_from_its_own_place(installed: Path, tmp_path: Path):
    where = run(installed / "python", "-c", "import s2s.dialects.graph as g; print(g.__file__)", cwd=tmp_path)
    assert where.startswith(str(installed.parent))


def test_wheel_and_sdist_have_the_version_of_the_tag(distributions: Path, installed: Path, tmp_path: Path):
    assert sorted(path.name for path in distributions.glob("s2s_*")) == [
        f"s2s_compiler-{VERSION}-py3-none-any.whl",
        f"s2s_compiler-{VERSION}.tar.gz",
    ]
    assert run(installed / "s2s", "--version", cwd=tmp_path) == f"s2s {VERSION}\n"


@pytest.mark.parametrize(
    "command",
    [
        ("-c", "import s2s; s2s.compile"),
        ("-m", "s2s", "--version"),
        ("-m", "s2s", "inspect", "examples/digits/digits.onnx"),
        ("-m", "benchmarks.gemm", "--help"),
    ],
    ids=lambda command: " ".join(command),
)
def test_python_in_the_root_of_a_checkout_finds_all_of_s2s(installed: Path, command: tuple[str, ...]):
    run(installed / "python", *command, cwd=ROOT)


def test_installed_s2s_opt_works_outside_the_checkout(installed: Path, tmp_path: Path):
    (tmp_path / "a.mlir").write_text("func.func @f() {\n  func.return\n}\n")
    assert "func.func @f()" in run(installed / "s2s-opt", "-p", "canonicalize", "a.mlir", cwd=tmp_path)


def test_installed_s2s_compiles_a_network_outside_the_checkout(installed: Path, tmp_path: Path):
    shutil.copy(ROOT / "examples" / "digits" / "digits.onnx", tmp_path)
    run(installed / "s2s", "compile", "digits.onnx", "-o", "tree", "--executor", "graph", cwd=tmp_path)
    assert "digits: passed" in run("make", "-C", "tree", "test", cwd=tmp_path)
