"""What `import s2s` gives."""

import subprocess
import sys

import pytest

import s2s


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
