"""Devices where older programs import them from."""

from s2s.executor.device import Device

__all__ = ["Device"]
