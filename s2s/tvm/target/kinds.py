"""The kinds of targets that TVM has: their attributes, keys and devices.

`c` and `llvm` stand for processors that C is compiled for. A target of another kind describes a device that there is no
code for: a program may make it, ask for its attributes and dispatch on its keys, and building for it is refused.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from s2s.executor.device import Device
from s2s.support.frozen import frozen

TEXT, TEXTS, NUMBER, FLAG = "text", "texts", "number", "flag"
"""The types of attributes: a text, a list of texts, a positive integer, and 0 or 1."""
COMMON = {"keys": TEXTS, "device": TEXT, "model": TEXT, "tag": TEXT, "libs": TEXTS, "host": TEXT}
"""The attributes of every kind."""
PROCESSOR = {"mcpu": TEXT, "mtriple": TEXT, "mattr": TEXTS, "march": TEXT, "mabi": TEXT, "mfloat-abi": TEXT}
"""The attributes that describe a processor."""
BYTES = {"constants-byte-alignment": NUMBER, "workspace-byte-alignment": NUMBER}
LLVM = {
    "fast-math": FLAG,
    "fast-math-nnan": FLAG,
    "fast-math-ninf": FLAG,
    "fast-math-nsz": FLAG,
    "fast-math-arcp": FLAG,
    "fast-math-contract": FLAG,
    "fast-math-reassoc": FLAG,
    "opt-level": NUMBER,
    "cl-opt": TEXTS,
}
"""Options of LLVM's code generator, which C does not have."""
THREADS = {
    "max_num_threads": NUMBER,
    "max_threads_per_block": NUMBER,
    "max_shared_memory_per_block": NUMBER,
    "thread_warp_size": NUMBER,
    "registers_per_block": NUMBER,
    "max_function_args": NUMBER,
}
"""The attributes of graphics processors."""
VULKAN = {
    **{f"supports_{each}": FLAG for each in (
        "float16", "float32", "float64", "int8", "int16", "int32", "int64", "8bit_buffer", "16bit_buffer",
        "storage_buffer_storage_class", "push_descriptor", "dedicated_allocation", "integer_dot_product",
    )},
    "supported_subgroup_operations": NUMBER,
    "max_per_stage_descriptor_storage_buffer": NUMBER,
    "max_push_constants_size": NUMBER,
    "max_uniform_buffer_range": NUMBER,
    "max_storage_buffer_range": NUMBER,
    "max_block_size_x": NUMBER,
    "max_block_size_y": NUMBER,
    "max_block_size_z": NUMBER,
    "driver_name": TEXT,
    "driver_version": NUMBER,
    "vulkan_api_version": NUMBER,
    "max_spirv_version": NUMBER,
    "device_type": TEXT,
    "device_name": TEXT,
    "mattr": TEXTS,
}  # fmt: skip
HEXAGON = {"llvm-options": TEXTS, "num-cores": NUMBER, "vtcm-capacity": NUMBER, **PROCESSOR}


@frozen
class TargetKind:
    """The code generator of a target."""

    name: str
    keys: tuple[str, ...] = ()
    """The keys that targets of the kind have beside their own."""
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    """The type of each attribute besides the common ones."""
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The attributes that each target has."""

    def __str__(self) -> str:
        return self.name

    @property
    def device_type(self) -> int:
        """DLPack's number of the device that its code runs on."""
        return Device.STR2MASK[self.name]

    def type_of(self, attribute: str) -> str | None:
        """The type of an attribute; None of an unknown one."""
        return self.attributes.get(attribute) or COMMON.get(attribute)


KINDS: Mapping[str, TargetKind] = {
    kind.name: kind
    for kind in (
        TargetKind("llvm", ("cpu",), {**PROCESSOR, **BYTES, **LLVM, "num-cores": NUMBER}),
        TargetKind("c", ("cpu",), {**PROCESSOR, **BYTES, "num-cores": NUMBER}),
        TargetKind(
            "cuda",
            ("cuda", "gpu"),
            {**THREADS, "mcpu": TEXT, "arch": TEXT, "l2_cache_size_bytes": NUMBER},
            {"max_num_threads": 1024, "thread_warp_size": 32},
        ),
        TargetKind(
            "nvptx",
            ("cuda", "gpu"),
            {**THREADS, "mcpu": TEXT, "mtriple": TEXT},
            {"max_num_threads": 1024, "thread_warp_size": 32},
        ),
        TargetKind(
            "rocm",
            ("rocm", "gpu"),
            {**THREADS, "mcpu": TEXT, "mtriple": TEXT, "mattr": TEXTS},
            {
                "max_num_threads": 256,
                "max_threads_per_block": 256,
                "max_shared_memory_per_block": 65536,
                "thread_warp_size": 64,
            },
        ),
        TargetKind(
            "opencl",
            ("opencl", "gpu"),
            {**THREADS, "texture_spatial_limit": NUMBER},
            {
                "max_num_threads": 256,
                "max_shared_memory_per_block": 16384,
                "max_threads_per_block": 256,
                "texture_spatial_limit": 16384,
                "thread_warp_size": 1,
            },
        ),
        TargetKind(
            "metal",
            ("metal", "gpu"),
            THREADS,
            {
                "max_function_args": 31,
                "max_num_threads": 256,
                "max_shared_memory_per_block": 32768,
                "max_threads_per_block": 256,
                "thread_warp_size": 16,
            },
        ),
        TargetKind(
            "vulkan",
            ("vulkan", "gpu"),
            {**THREADS, **VULKAN},
            {"max_num_threads": 256, "supports_float32": 1, "supports_int32": 1, "thread_warp_size": 1},
        ),
        TargetKind("webgpu", ("webgpu", "gpu"), THREADS, {"max_num_threads": 256}),
        TargetKind("sdaccel", ("sdaccel", "hls")),
        TargetKind("aocl", ("aocl", "hls")),
        TargetKind("aocl_sw_emu", ("aocl", "hls")),
        TargetKind("hexagon", ("hexagon", "cpu"), HEXAGON),
        TargetKind("stackvm", ("cpu",)),
        TargetKind(
            "ext_dev",
        ),
        TargetKind("hybrid", ("cpu",)),
        TargetKind("composite", (), {"devices": TEXTS}),
        TargetKind("test", ("cpu",)),
    )
}
"""The kinds by name."""
PROCESSORS = {"c": "c", "llvm": "host"}
"""The target that each kind with code stands for where no processor is named."""
