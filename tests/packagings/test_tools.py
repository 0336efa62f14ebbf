"""Every packaging is built and run by the commands of docs/reference/packages.md, in the versions that stand there."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from docs.package_checks import CHECKS, NETWORK, Check
from s2s.api import compile as compile_network
from s2s.packagings.formats import FORMATS
from support.c_compilers import EVERYTHING, require
from support.onnx_text import onnx_model
from support.project import ROOT

INSTALLED = Path(sys.executable).parent
"""Where the programs of Python packages are."""
FROM_PACKAGES = {"meson": "mesonbuild", "pio": "platformio"}
"""Programs that Python packages bring, by the modules of these."""


def shell(command: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{INSTALLED}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def test_every_format_has_a_check():
    assert [check.format for check in CHECKS] == list(FORMATS)


@pytest.mark.sample(4)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.format)
def test_the_tool_of_a_format_builds_and_runs_it(check: Check, tmp_path: Path):
    for program in check.programs:
        if program in FROM_PACKAGES:
            pytest.importorskip(FROM_PACKAGES[program])
        elif not (INSTALLED / program).exists():
            require(program)
    compile_network(onnx_model(NETWORK), target="c", name="net", weights="arrays").export(
        tmp_path / "net", check.format
    )
    for name, text in check.files.items():
        (tmp_path / name).write_text(text)
    if check.stand_in:
        shutil.copytree(ROOT / check.stand_in, tmp_path / "stand_in")
    said = [shell(command, tmp_path) for command in check.commands]
    assert check.says in said[-1]
    if os.environ.get(EVERYTHING):
        assert check.version in shell(check.version_command, tmp_path)


def test_a_platformio_project_with_the_library_builds_where_the_registry_can_be_reached(tmp_path: Path):
    pytest.importorskip("platformio")
    try:
        socket.create_connection(("api.registry.platformio.org", 443), timeout=5).close()
    except OSError as error:
        pytest.skip(f"PlatformIO's registry cannot be reached ({error}), which has its native platform and SCons")
    network = compile_network(onnx_model(NETWORK), target="c", name="net")
    network.export(tmp_path / "lib" / "net", "platformio")
    shutil.copytree(tmp_path / "lib" / "net" / "examples" / "once", tmp_path / "src")
    (tmp_path / "platformio.ini").write_text("[env:native]\nplatform = native\n")
    shell("pio run", tmp_path)
    assert "net: success" in shell(".pio/build/native/program", tmp_path)
