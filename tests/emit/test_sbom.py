"""The bill of materials of a tree is CycloneDX, as the standard's own schema says."""

import json

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from support.emitted import network


def complaint(text: str) -> object:
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)


@pytest.mark.parametrize("executor", ["aot", "graph"])
def test_the_bill_is_valid(executor: str):
    assert complaint(network(executor, "arrays").text("sbom.cdx.json")) is None  # pyright: ignore[reportArgumentType]


def test_the_model_has_a_card():
    bill = json.loads(network().text("sbom.cdx.json"))
    [model] = [each for each in bill["components"] if each["type"] == "machine-learning-model"]
    formats = [each["format"] for each in model["modelCard"]["modelParameters"]["inputs"]]
    assert formats
    assert all("[" in each for each in formats)


def test_a_wrong_bill_would_be_seen():
    bill = json.loads(network().text("sbom.cdx.json"))
    bill["components"][0]["modelCard"]["modelParameters"]["inputs"] = ["int8"]
    assert complaint(json.dumps(bill)) is not None
