"""What every command of `s2s` shares: start-up, options, errors and exit codes."""

import subprocess
import sys

import pytest

from s2s.cli import main as cli
from s2s.cli.inputs import load_inputs
from s2s.errors import InputError, ToolchainError, UnsupportedError
from s2s.options.values import shapes_of
from s2s.version import current_version

HEAVY = {"onnx", "xdsl", "numpy", "jinja2", "cffi", "onnxruntime"}


def test_help_imports_nothing_heavy():
    program = f"""
import sys
from pathlib import Path
from s2s.cli.main import run
assert run(["--help"]) == 0
assert run(["compile", "--help"]) == 0
assert not {HEAVY!r} & sys.modules.keys(), {HEAVY!r} & sys.modules.keys()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_module_and_command_are_the_same():
    done = subprocess.run([sys.executable, "-m", "s2s", "--version"], capture_output=True, text=True)
    assert done.stdout == f"s2s {current_version()}\n"


def test_offers_completion(capsys: pytest.CaptureFixture[str]):
    assert cli.run(["completion", "bash"]) == 0
    assert "complete" in capsys.readouterr().out


def test_help_has_each_command_on_one_line(capsys: pytest.CaptureFixture[str]):
    assert cli.run(["--help"]) == 0
    lines = capsys.readouterr().out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == list(cli.COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") and len(line) <= 80 for line in lines)


@pytest.mark.parametrize("command", ["compile", "run", "verify", "inspect", "profile", "report", "targets"])
def test_help_of_every_command_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]):
    assert cli.run([command, "--help"]) == 0
    assert f"Example: s2s {command} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["frobnicate"], "s2s: error: No such command 'frobnicate'. See s2s --help.\n"),
        (["compile"], "s2s: error: Missing argument 'MODEL…'. See s2s compile --help.\n"),
        (
            ["demo"],
            "s2s: error: Missing argument 'kws|vww|ad|digits|chat'. Choose from: kws, vww, ad, digits, chat. "
            "See s2s demo --help.\n",
        ),
        (["compile", "a.onnx", "--wubble"], "s2s: error: No such option '--wubble'. See s2s compile --help.\n"),
    ],
)
def test_wrong_usage_is_one_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert cli.run(args) == 2
    assert capsys.readouterr().err == message


def test_every_unsupported_thing_is_a_line(capsys: pytest.CaptureFixture[str]):
    cli.report(UnsupportedError("a (Foo): no; do b\nc (Bar): no; do d"))
    assert capsys.readouterr().err == "s2s: error: a (Foo): no; do b\ns2s: error: c (Bar): no; do d\n"


def test_output_of_a_failed_program_follows_its_line(capsys: pytest.CaptureFixture[str]):
    cli.report(ToolchainError("gcc: exit code 1; see below\nx.c:1: error: y"))
    assert capsys.readouterr().err == "s2s: error: gcc: exit code 1; see below\nx.c:1: error: y\n"


def test_bug_shows_a_traceback_and_asks_for_a_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(*args: object, **kwargs: object) -> None:
        raise KeyError("an invariant")

    monkeypatch.setattr(cli, "app", broken)
    assert cli.run([]) == cli.BUG_EXIT_CODE
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "KeyError: 'an invariant'" in shown
    assert "please report it" in shown


def test_shapes_are_parsed():
    assert shapes_of(["x=1,3,224,224", "a=b=7", "scalar="]) == {"x": (1, 3, 224, 224), "a=b": (7,), "scalar": ()}


def test_axes_of_shapes_have_names():
    assert shapes_of(["x=N,28,width"]) == {"x": ("N", 28, "width")}


@pytest.mark.parametrize("option", ["x", "=1", "x=1,b c", "x=1,-2", "x=1.5"])
def test_shape_of_another_form_is_refused(option: str):
    with pytest.raises(InputError, match="not of the form NAME=D,D"):
        shapes_of([option])


@pytest.mark.parametrize("option", ["", "x=", "=a.npy"])
def test_input_of_another_form_is_refused(option: str):
    with pytest.raises(InputError, match=r"not of the form NAME=FILE\.npy"):
        load_inputs([option])


ENDING = """
import atexit, sys, threading, time
from s2s.cli import main
atexit.register(print, "registered for the end")
main.run = lambda args: print("ran") or 3
{before}
main.main([])
"""


@pytest.mark.parametrize(
    ("before", "also"),
    [
        ("", ""),
        ("sys.setprofile(lambda *_: None)", ""),
        ("threading.Thread(target=lambda: time.sleep(0.2) or print('thread')).start()", "thread\n"),
    ],
    ids=["at once", "under a profiler", "beside a thread"],
)
def test_what_is_registered_for_the_end_runs(before: str, also: str):
    done = subprocess.run([sys.executable, "-c", ENDING.format(before=before)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, f"ran\n{also}registered for the end\n")


def test_an_end_with_closed_output_is_silent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    program = "import sys, time; from s2s.cli import main; sys.stdout.write('x'); time.sleep(0.3); main.leave(5)"
    shell = f'"{sys.executable}" -c "{program}" | true; exit ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (5, "")
