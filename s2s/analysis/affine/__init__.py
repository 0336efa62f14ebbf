"""Analyses of the affine maps by which computations access tensors."""
