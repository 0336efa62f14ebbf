"""Projects and sessions of microTVM: a network that is built, flashed and run here and on an emulated board."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import InputError, ToolchainError, UnsupportedError
from s2s.tvm import micro, relay
from s2s.tvm.contrib.aot_executor import AotModule
from s2s.tvm.micro.transport import emulated_port
from s2s.tvm.relay.factory import ExecutorFactory
from support.boards import board_or_skip

CRT = micro.get_microtvm_template_projects("crt")
X = np.array([[-1.0, 2.0, -3.0, 4.0]], np.float32)
WEIGHT = np.arange(12, dtype=np.float32).reshape(3, 4)


def library(target: str = "c", executor: str = "aot") -> ExecutorFactory:
    x = relay.var("x", shape=(1, 4))
    return relay.build(relay.nn.relu(relay.nn.dense(x, relay.const(WEIGHT))), target=target, executor=executor)


def test_a_network_runs_in_a_session_on_this_machine(tmp_path: Path):
    project = micro.generate_project(
        template_project_dir=CRT,
        module=library(),
        generated_project_dir=tmp_path / "project",
        options={"verbose": False},
    )
    project.build()
    project.flash()
    with micro.Session(project.transport()) as session:
        module = AotModule(session.create_aot_executor())
        module.get_input("x").copyfrom(X)
        module.run()
        np.testing.assert_array_equal(module.get_output(0), np.maximum(X @ WEIGHT.T, 0))
    assert project.info()["platform_name"] == "host"
    with pytest.raises(InputError, match=r"micro.Session micro-rpc: is not open; use it in a with statement"):
        session.get_system_lib()


def test_an_emulated_board_runs_it_behind_its_serial_port(tmp_path: Path):
    board_or_skip("qemu:m4")
    pytest.importorskip("serial")
    template = micro.TemplateProject.from_directory(CRT)
    assert template.info()["is_template"]
    written = template.generate_project(library("cortex-m4"), tmp_path / "project", {"board": "qemu:m4"})
    with pytest.raises(InputError, match=r"firmware.elf: there is no such program; call project.build"):
        written.transport().__enter__()
    project = micro.GeneratedProject.from_directory(tmp_path / "project", {"board": "qemu-m4"})
    project.build()
    project.flash()
    with micro.Session(transport_context_manager=project.transport(), session_name="m4") as session:
        module = micro.create_local_aot_executor(session)
        for x in (X, -X):
            module.run(x=x)
            np.testing.assert_array_equal(module.get_output(0), np.maximum(x @ WEIGHT.T, 0))
        module.set_input("x", X[0])
        with pytest.raises(InputError, match=r"input 'x': float32\[4\] given, float32\[1, 4\] wanted; convert it"):
            module.run()
    with pytest.raises(InputError, match=r"is for another board; give the options it was made with"):
        micro.GeneratedProject.from_directory(tmp_path / "project", {})


def test_a_graph_executor_runs_the_functions_of_a_session(tmp_path: Path):
    built = library(executor="graph")
    project = micro.generate_project(CRT, built, tmp_path / "project")
    with tvm.micro.Session(project.transport()) as session:
        made = micro.create_local_graph_executor(built.get_graph_json(), session.get_system_lib(), session.device)
        parameters: dict[str, Any] = built.get_params()
        made.set_input(**parameters)
        made.set_input("x", tvm.nd.array(X))
        made.run()
        np.testing.assert_array_equal(made.get_output(0), np.maximum(X @ WEIGHT.T, 0))
        with pytest.raises(InputError, match=r"built for executor graph; use micro.create_local_graph_executor"):
            session.create_aot_executor()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"board": "qemu-m4"}, r"qemu-m4: the network is for x86-64-v3; build it for cortex-m4"),
    ({"zephyr_base": "x"}, r"micro: option zephyr_base: is not known; the options are board, port, verbose"),
    ({"board": "due"}, r"--board due: there is no such board"),
]


@pytest.mark.parametrize(("options", "text"), REFUSED, ids=["target", "option", "board"])
def test_options_that_do_not_fit_are_refused(tmp_path: Path, options: dict[str, Any], text: str):
    with pytest.raises(InputError, match=text):
        micro.generate_project(CRT, library("x86-64-v3"), tmp_path / "project", options)
    assert not (tmp_path / "project").exists()


def test_a_board_takes_the_executor_aot(tmp_path: Path):
    with pytest.raises(InputError, match=r"boards run executor aot; build with Executor\('aot'\)"):
        micro.generate_project(CRT, library(executor="graph"), tmp_path / "project", {"board": "qemu-m4"})


@pytest.mark.parametrize("platform", ["zephyr", "arduino"])
def test_templates_of_packagings_are_refused(platform: str):
    with pytest.raises(UnsupportedError, match=f"{platform}: is a packaging; write it by `s2s export --format"):
        micro.TemplateProject.from_directory(micro.get_microtvm_template_projects(platform))


def test_servers_archives_and_timeouts_are_refused(tmp_path: Path):
    with pytest.raises(UnsupportedError, match=r"project servers are not run; give get_microtvm_template_projects"):
        micro.TemplateProject.from_directory(tmp_path)
    with pytest.raises(UnsupportedError, match=r"generate_project_from_mlf: .*: archives are for other tools"):
        micro.generate_project_from_mlf(CRT, tmp_path / "project", tmp_path / "model.tar", {})
    with pytest.raises(UnsupportedError, match=r"micro.Session: timeout_override: waits are fixed"):
        micro.Session(None, timeout_override=1)
    with pytest.raises(InputError, match=r"micro.Session: wants a transport; give project.transport"):
        micro.Session(None)


SILENT_EMULATORS = {
    "names no serial port within 0.5 seconds; it says 'no board'": "print('no board', flush=True)\ntime.sleep(60)",
    "names no serial port within 0.5 seconds; it says nothing": "time.sleep(60)",
    "ends, and has named no serial port; it says 'a / b'": "print('a')\nprint('b')",
}


@pytest.mark.parametrize(("fact", "program"), SILENT_EMULATORS.items(), ids=["waits", "is silent", "ends"])
def test_an_emulator_that_names_no_port_is_an_error(tmp_path: Path, fact: str, program: str):
    firmware = tmp_path / "firmware.elf"
    firmware.touch()
    emulator = (sys.executable, "-c", f"import time\n{program}")
    with pytest.raises(ToolchainError, match=fact), ExitStack() as stack:
        emulated_port(emulator, firmware, stack, seconds=0.5)


def test_an_emulator_names_its_port_behind_other_lines(tmp_path: Path):
    firmware = tmp_path / "firmware.elf"
    firmware.touch()
    text = "for _ in range(99): print('warning')\nprint('char device redirected to /dev/pts/7 (label serial0)')"
    with ExitStack() as stack:
        assert emulated_port((sys.executable, "-c", text), firmware, stack) == "/dev/pts/7"
