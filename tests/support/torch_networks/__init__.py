"""Architectures written in PyTorch, small: each makes a module with seeded weights, and inputs for it."""

from support.torch_networks import attention, classifiers, detection, images, irregular, others, sequences
from support.torch_networks.building import MAKERS, Made

__all__ = ["NETWORKS", "Made"]

NETWORKS = {
    name: MAKERS[name]
    for family in (classifiers, images, attention, sequences, irregular, detection, others)
    for name in vars(family)
    if name in MAKERS
}
"""The makers by the names of the architectures, family by family."""
