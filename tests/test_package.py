"""What `import s2s` gives."""

import subprocess
import sys

import pytest

import s2s
from support.project import ROOT


def test_importing_s2s_imports_nothing_heavy():
    program = "import sys, s2s; print(sorted({'onnx', 'xdsl', 'numpy', 'cffi'} & sys.modules.keys()), s2s.__version__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == f"[] {s2s.__version__}\n"


@pytest.mark.parametrize("name", s2s.__all__)
def test_every_public_name_is_there(name: str):
    assert getattr(s2s, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 's2s' has no attribute 'frobnicate'"):
        getattr(s2s, "frobnicate")  # noqa: B009


def test_dir_lists_the_api_and_nothing_else():
    assert dir(s2s) == sorted(s2s.__all__)


def test_errors_can_be_caught_by_their_public_names():
    with pytest.raises(s2s.InputError, match="there-is-none"):
        s2s.compile("there-is-none.onnx")


def test_budgets_of_flash_and_stack_are_options_of_python_too():
    with pytest.raises(s2s.InputError, match="--flash-budget -1: no network takes that little"):
        s2s.compile("there-is-none.onnx", flash_budget=-1)


def test_inspection_says_what_a_network_holds_without_compiling_it():
    found = s2s.inspect(ROOT / "examples" / "digits" / "digits.onnx")
    assert found.multiply_adds == 84_224
    assert "<th style='text-align: left'>work</th><td>84,224 multiply-adds</td>" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_notebooks_show_the_figures_of_an_artifact():
    artifact = s2s.compile(ROOT / "examples" / "digits" / "digits.onnx", target="c", name="net")
    shown = artifact._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert shown.startswith("<table><caption>net</caption><tr><th")
    assert "<td>c, executor aot</td>" in shown
    assert f"{artifact.report().arena:,} bytes of it" in shown
