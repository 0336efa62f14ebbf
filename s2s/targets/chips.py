"""Families of microcontrollers and the targets of their cores, for people who know their chip by its name.

Sources: the makers' product pages. A chip with two cores has the target of the one that runs applications.
"""

import re

FAMILIES = {
    "stm32f0": "cortex-m0", "stm32c0": "cortex-m0plus", "stm32g0": "cortex-m0plus", "stm32l0": "cortex-m0plus",
    "stm32u0": "cortex-m0plus", "stm32f1": "cortex-m3", "stm32f2": "cortex-m3", "stm32l1": "cortex-m3",
    "stm32f3": "cortex-m4", "stm32f4": "cortex-m4", "stm32g4": "cortex-m4", "stm32l4": "cortex-m4",
    "stm32wb": "cortex-m4", "stm32f7": "cortex-m7", "stm32h7": "cortex-m7", "stm32h5": "cortex-m33",
    "stm32l5": "cortex-m33", "stm32u3": "cortex-m33", "stm32u5": "cortex-m33", "stm32wba": "cortex-m33",
    "stm32n6": "cortex-m55",
    "nrf51": "cortex-m0", "nrf52": "cortex-m4", "nrf53": "cortex-m33", "nrf54": "cortex-m33", "nrf91": "cortex-m33",
    "rp2040": "cortex-m0plus", "rp2350": "cortex-m33",
    "atsamd21": "cortex-m0plus", "samd21": "cortex-m0plus", "atsamd51": "cortex-m4", "samd51": "cortex-m4",
    "mimxrt10": "cortex-m7", "mimxrt11": "cortex-m7", "mimxrt5": "cortex-m33", "mimxrt6": "cortex-m33",
    "kl": "cortex-m0plus", "k64": "cortex-m4", "lpc55": "cortex-m33", "mcxn": "cortex-m33",
    "efr32mg24": "cortex-m33", "apollo3": "cortex-m4", "apollo4": "cortex-m4",
    "ra4m1": "cortex-m4", "ra6m5": "cortex-m33", "ra8": "cortex-m55",
    "esp32c2": "rv32imc", "esp32c3": "rv32imc", "esp32c6": "rv32imc", "esp32h2": "rv32imc", "esp32": "c",
    "ch32v": "rv32imc", "gd32vf103": "rv32imc",
}  # fmt: skip
"""The target of each family, by the beginning of its chips' names."""

NUCLEO = re.compile(r"(?:nucleo|disco)(?=[a-z]\d)")
"""ST's boards are called after their chip: NUCLEO-F446RE."""


def target_of_chip(name: str) -> str | None:
    """Return the target of the core in a microcontroller, or in a board of ST, called `name`; None if unknown."""
    plain = NUCLEO.sub("stm32", re.sub(r"[^a-z0-9]", "", name.lower()))
    families = [family for family in FAMILIES if plain.startswith(family)]
    return FAMILIES[max(families, key=len)] if families else None
