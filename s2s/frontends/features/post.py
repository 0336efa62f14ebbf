"""Steps behind a network, for `s2s.compile(model, post=[…])`."""

from s2s.frontends.features.classes import Argmax, Labels, Softmax, TopK
from s2s.frontends.features.scores import Mean, Threshold
from s2s.frontends.features.suppression import Nms

__all__ = ["Argmax", "Labels", "Mean", "Nms", "Softmax", "Threshold", "TopK"]
