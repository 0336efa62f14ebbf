"""Leave the tests of this folder out where torch is missing, but never in CI; `test_installed.py` says so."""

import importlib.util
import os

from support.c_compilers import EVERYTHING

collect_ignore_glob: list[str] = []
if importlib.util.find_spec("torch") is None and not os.environ.get(EVERYTHING):
    collect_ignore_glob += ["test_[!i]*.py", "test_im*.py"]
