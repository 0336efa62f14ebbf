"""Every emitted file says on what terms it comes."""

import json
import tomllib
from fnmatch import fnmatch

import pytest

from s2s.support.resources import runtime_files, runtime_source
from support.emitted import Executor, network
from support.project import ROOT

SILENT = (".json", ".bin", ".params", ".txt", ".toml")
"""Kinds of files that cannot carry an identifier, or are licences."""


@pytest.mark.parametrize("executor", ["aot", "graph"])
@pytest.mark.parametrize("profile", ["default", "misra"])
def test_every_text_file_carries_an_identifier(executor: Executor, profile: str) -> None:
    tree = network(executor, "arrays", profile=profile)
    for path in tree:
        if not path.endswith(SILENT):
            wanted = "Apache-2.0" if path.startswith("runtime/") else "LicenseRef-Model"
            assert f"SPDX-License-Identifier: {wanted}" in tree.text(path), path


def test_every_file_is_covered_and_every_licence_is_there() -> None:
    tree = network("graph", "incbin")
    covered = tomllib.loads(tree.text("REUSE.toml"))["annotations"]
    for path in tree:
        *_, terms = [each for each in covered if fnmatch(path, each["path"])]
        assert f"LICENSES/{terms['SPDX-License-Identifier']}.txt" in tree.files


def test_the_tree_says_that_generated_code_is_the_users() -> None:
    tree = network()
    assert "The generated files are yours, as far as the model is" in tree.text("README.md")
    assert "The authors of s2s claim no" in tree.text("LICENSES/LicenseRef-Model.txt")


def test_the_licence_of_the_runtime_is_that_of_the_project() -> None:
    assert network().text("LICENSES/Apache-2.0.txt") == (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("path", runtime_files())
def test_every_file_of_the_runtime_begins_with_its_licence(path: str) -> None:
    assert runtime_source(path).startswith("/* SPDX-License-Identifier: Apache-2.0 */\n")


def test_the_bill_of_materials_names_model_and_runtime() -> None:
    tree = network()
    bill = json.loads(tree.text("sbom.cdx.json"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    model, runtime = bill["components"]
    assert model["hashes"] == [{"alg": "SHA-256", "content": "0123456789abcdef" * 4}]
    assert runtime["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    assert [each["value"] for each in runtime["properties"]] == [path for path in tree if path.startswith("runtime/")]
    refs = {bill["metadata"]["component"]["bom-ref"], *(each["bom-ref"] for each in bill["components"])}
    assert {each["ref"] for each in bill["dependencies"]} == refs
