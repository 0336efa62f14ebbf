"""Boards by the names that TVM gives them: models of `arm_cpu`, and tags that stand for a whole target."""

from collections.abc import Mapping

_A53 = "-mtriple=aarch64-linux-gnu -mcpu=cortex-a53 -mattr=+neon"
_A72 = "-mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon"
_ARMV7 = "-mtriple=armv7l-linux-gnueabihf -mattr=+neon"

ARM_MODELS: Mapping[str, str] = {
    "pixel2": "-mtriple=arm64-linux-android -mattr=+neon",
    "rasp3b": _ARMV7,
    "rasp4b": "-mtriple=armv8l-linux-gnueabihf -mcpu=cortex-a72 -mattr=+neon",
    "rasp4b64": _A72,
    "rk3399": "-mtriple=aarch64-linux-gnu -mattr=+neon",
    "pynq": "-mtriple=armv7a-linux-eabi -mcpu=cortex-a9 -mattr=+neon",
    "ultra96": "-mtriple=aarch64-linux-gnu -mcpu=cortex-a53 -mattr=+neon",
    "beagleai": "-mtriple=armv7a-linux-gnueabihf -mcpu=cortex-a15 -mattr=+neon,+vfp4,+thumb2",
    "stm32mp1": "-mtriple=armv7a-linux-gnueabihf -mcpu=cortex-a7 -mattr=+neon,+vfp4,+thumb2",
    "thunderx": "-mtriple=aarch64-linux-gnu -mcpu=thunderx -mattr=+neon,+crc,+lse",
}
"""The attributes of the models of `arm_cpu`."""

TAGS: Mapping[str, str] = {
    **{
        f"nvidia/{name}": f"cuda -arch=sm_{arch} -max_shared_memory_per_block=49152 -max_threads_per_block=1024 "
        f"-thread_warp_size=32 -registers_per_block={registers}"
        for name, arch, registers in (
            ("jetson-nano", 53, 32768),
            ("jetson-tx2", 62, 32768),
            ("jetson-agx-xavier", 72, 65536),
            ("tesla-v100", 70, 65536),
            ("tesla-t4", 75, 65536),
            ("geforce-rtx-2080-ti", 75, 65536),
            ("geforce-rtx-3090", 86, 65536),
            ("nvidia-a100", 80, 65536),
        )
    },
    "raspberry-pi/3b": f"llvm -device=arm_cpu {_ARMV7} -model=rasp3b -num-cores=4",
    "raspberry-pi/4b-aarch64": f"llvm -device=arm_cpu {_A72} -num-cores=4",
    "raspberry-pi/4b-32": "llvm -device=arm_cpu -mtriple=armv8l-linux-gnueabihf -mcpu=cortex-a72 -mattr=+neon "
    "-num-cores=4",
}
"""What a tag stands for."""

MICRO_MODELS: Mapping[str, str] = {
    "host": "",
    "atsamd51": "-mcpu=cortex-m4",
    "cxd5602gg": "-mcpu=cortex-m4",
    "imxrt10xx": "-mcpu=cortex-m7",
    "mps2_an521": "-mcpu=cortex-m33",
    "mps3_an547": "-mcpu=cortex-m55",
    "nrf5340dk": "-mcpu=cortex-m33",
    "rp2040": "-mcpu=cortex-m0plus",
    "sam3x8e": "-mcpu=cortex-m3",
    "stm32f746xx": "-mcpu=cortex-m7",
    "stm32h7xx": "-mcpu=cortex-m7",
    "stm32l4r5zi": "-mcpu=cortex-m4",
    "stm32u5xx": "-mcpu=cortex-m33",
}
"""The attributes of the models of `micro`."""
