"""Own code generators, archives and pools as programs of TVM 0.12 use them."""

import json
import tarfile
from pathlib import Path
from typing import Any

from s2s import tvm
from s2s.tvm import relay
from tests.tvm.mechanisms.networks import dense


def test_an_archive_has_the_files_of_version_7(tmp_path: Path):
    mod, params = dense()
    lib = relay.build(mod, "c -mcpu=cortex-m4", executor=relay.backend.Executor("aot"), params=params, mod_name="net")
    tvm.micro.export_model_library_format(lib, tmp_path / "net.tar")
    with tarfile.open(tmp_path / "net.tar") as archive:
        names = {each.removeprefix("./") for each in archive.getnames()}
        member: Any = archive.extractfile(next(each for each in archive.getnames() if each.endswith("metadata.json")))
        metadata = json.loads(member.read())
    assert metadata["version"] == 7
    assert list(metadata["modules"]) == ["net"]
    assert "parameters/net.params" in names
    assert any(each.startswith("codegen/host/src/") and each.endswith(".c") for each in names)
