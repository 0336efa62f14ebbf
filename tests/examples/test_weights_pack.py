"""The example of updates does what it says: signed packs, two slots, power cuts."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from support.c_compilers import require_header
from support.project import ROOT


def test_power_cuts_leave_good_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("cryptography")
    require_header("sodium.h", "libsodium-dev")
    require_header("mbedtls/ecdsa.h", "libmbedtls-dev")
    main: Callable[[Path], int] = runpy.run_path(str(ROOT / "examples" / "weights_pack" / "update.py"))["main"]
    assert main(tmp_path) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.partition(" power cuts")[0] for line in shown] == ["sodium: 590", "mbedtls: 590"]
