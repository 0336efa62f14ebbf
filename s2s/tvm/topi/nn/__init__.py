"""Layers of networks as tensor expressions."""

from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing
from s2s.tvm.topi.nn.conv import (
    conv,
    conv1d,
    conv1d_ncw,
    conv1d_nwc,
    conv2d,
    conv2d_hwcn,
    conv2d_nchw,
    conv2d_nhwc,
    conv2d_transpose_nchw,
    depthwise_conv2d_nchw,
    depthwise_conv2d_nhwc,
    group_conv2d_nchw,
    group_conv2d_nhwc,
)
from s2s.tvm.topi.nn.dense import batch_matmul, dense, matmul
from s2s.tvm.topi.nn.elemwise import flatten, leaky_relu, prelu, relu, scale_shift_nchw, scale_shift_nhwc
from s2s.tvm.topi.nn.pad import dilate, pad
from s2s.tvm.topi.nn.pooling import adaptive_pool, global_pool, pool1d, pool2d
from s2s.tvm.topi.nn.softmax import fast_softmax, log_softmax, lrn, softmax
from s2s.tvm.topi.transform import layout_transform

__all__ = [
    "adaptive_pool",
    "batch_matmul",
    "conv",
    "conv1d",
    "conv1d_ncw",
    "conv1d_nwc",
    "conv2d",
    "conv2d_hwcn",
    "conv2d_nchw",
    "conv2d_nhwc",
    "conv2d_transpose_nchw",
    "dense",
    "depthwise_conv2d_nchw",
    "depthwise_conv2d_nhwc",
    "dilate",
    "fast_softmax",
    "flatten",
    "global_pool",
    "group_conv2d_nchw",
    "group_conv2d_nhwc",
    "layout_transform",
    "leaky_relu",
    "log_softmax",
    "lrn",
    "matmul",
    "pad",
    "pool1d",
    "pool2d",
    "prelu",
    "relu",
    "scale_shift_nchw",
    "scale_shift_nhwc",
    "softmax",
]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("topi.nn")
