"""AotModule on the digits network."""

import numpy as np
import pytest

from s2s import api
from s2s.errors import InputError
from s2s.tvm.contrib.aot_executor import AotExecutor, AotModule
from support.compiled import quickly_loaded
from support.project import ROOT


def test_a_network_runs():
    image = np.ones((1, 1, 8, 8), np.float32)
    with api.compile(ROOT / "examples" / "digits" / "digits.onnx", target="c") as artifact:
        module = AotModule(AotExecutor(quickly_loaded(artifact)))
        [name] = module.get_output_info()[0]
        assert module.get_input_info() == ({"image": (1, 1, 8, 8)}, {"image": "float32"})
        assert (module.get_input_index("image"), module.get_input_index("none")) == (0, -1)
        assert (module.get_num_inputs(), module.get_num_outputs(), module.get_input_name(0)) == (1, 1, "image")
        with pytest.raises(InputError, match="has no value yet"):
            module.get_output(0)
        module.set_input("image", image)
        module.run(unknown=image)
        out = np.empty((1, 10), np.float32)
        assert module.get_output(0).tolist() == module.get_output(name, out).tolist() == out.tolist()
        assert module.get_input(0).tolist() == image.tolist()
        with pytest.raises(InputError, match="does not exist"):
            module.set_input("none", image)
