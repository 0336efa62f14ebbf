"""Compiled templates are stored where Python stores compiled modules, or nowhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILL = """
from types import SimpleNamespace
from s2s.emit.templates import fill
fill("LicenseRef-Model.txt.j2", view=SimpleNamespace(origin=""))
"""


@pytest.mark.parametrize("stored", [True, False])
def test_compiled_templates_follow_the_settings_of_byte_code(tmp_path: Path, stored: bool) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "" if stored else "1"}
    subprocess.run([sys.executable, "-c", FILL], check=True, env=environment)
    assert bool(list(tmp_path.rglob("*.jinja2"))) == stored
