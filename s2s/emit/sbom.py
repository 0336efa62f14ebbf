"""Write `sbom.cdx.json`, the software bill of materials of a tree, in CycloneDX 1.6.

It has no date and no serial number: the same network gives the same bytes.
"""

import json
from collections.abc import Sequence
from typing import Any

from s2s.c_syntax.interface import Port
from s2s.emit.info import NetworkInfo
from s2s.emit.view import GENERATED_LICENCE

FILE = "sbom.cdx.json"
RUNTIME_LICENCE = "Apache-2.0"


def sbom(info: NetworkInfo, runtime: Sequence[str], networks: Sequence[NetworkInfo] = ()) -> str:
    """Describe the network as a component, with its source model and the runtime files that it contains; `networks` are
    the ones in a tree of several."""
    network: dict[str, Any] = {
        "type": "library",
        "bom-ref": info.name,
        "name": info.name,
        "version": info.sha256[:16],
        "licenses": [{"license": {"name": GENERATED_LICENCE}}],
    }
    models = [_model(f"model-{each.name}", each) for each in networks] or [_model("model", info)]
    part: dict[str, Any] = {
        "type": "library",
        "bom-ref": "s2s-runtime",
        "name": "s2s runtime",
        "version": info.version,
        "licenses": [{"license": {"id": RUNTIME_LICENCE}}],
        "properties": [{"name": "file", "value": path} for path in runtime],
    }
    record: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "tools": {"components": [{"type": "application", "name": "s2s", "version": info.version}]},
            "component": network,
        },
        "components": [*models, part],
        "dependencies": [
            {"ref": info.name, "dependsOn": [*(model["bom-ref"] for model in models), "s2s-runtime"]},
            *({"ref": model["bom-ref"]} for model in models),
            {"ref": "s2s-runtime"},
        ],
    }
    return json.dumps(record, indent=2) + "\n"


def _model(reference: str, info: NetworkInfo) -> dict[str, Any]:
    """Describe the model that a network is made from, with a card of its inputs and outputs."""
    return {
        "type": "machine-learning-model",
        "bom-ref": reference,
        "name": info.source,
        "version": info.sha256[:16],
        "hashes": [{"alg": "SHA-256", "content": info.sha256}],
        "modelCard": {
            "modelParameters": {
                "inputs": [{"format": _format(port)} for port in info.inputs],
                "outputs": [{"format": _format(port)} for port in info.outputs],
            },
            "considerations": {
                "technicalLimitations": ["Data, training and fitness of the model for a purpose are not known to s2s."]
            },
        },
    }


def _format(port: Port) -> str:
    """Describe an input or output: `scores: int8[1, 12], real = 0.00390625 * (q + 128)`."""
    quantised = "" if port.quantisation is None else f", {port.quantisation.formula()}"
    return f"{port.name}: {port.model_type}{quantised}"
