"""Operators of TVM that there are not, each with the reason: whoever calls one is told."""

from collections.abc import Callable, Mapping

from s2s.tvm.refused_modules import Refused, refused_module
from s2s.tvm.refused_tensors import TIR_NAMES, TOPI, TOPI_NN

_SPARSE = "weights and values are dense"
_TRANSFORMED = "kernels of convolutions are chosen by relay.build, which transforms weights itself; use nn.conv2d"
_PACKED = "layouts are chosen by relay.build; use the operator without a packed layout"
GRADIENT = "networks have no gradients here; train elsewhere, and import the model"
_DYNAMIC = "the size of the result follows from values; no size is known before the network runs"
_BOXES = "write it with sort, gather and where, or import a model whose importer does"
_RANDOM = "networks are functions of their inputs; give random numbers as an input"
_MEMORY = "memory is planned by relay.build"
GENERATORS = "external code generators choose their parts in relay.build(external=...)"
_BITS = "elements have at least 8 bits"

RELAY: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "Clause",
            "Constructor",
            "GlobalTypeVar",
            "Match",
            "Pattern",
            "PatternConstructor",
            "PatternTuple",
            "PatternVar",
            "PatternWildcard",
            "Prelude",
            "TypeData",
            "adt",
        ),
        "data types of the language are not compiled; write tensors and tuples",
    ),
    **dict.fromkeys(
        (
            "RefCreate",
            "RefRead",
            "RefType",
            "RefWrite",
        ),
        "values do not change; give what changes as an input and a result",
    ),
    **dict.fromkeys(
        (
            "ShapeVar",
            "TypeCall",
            "TypeConstraint",
            "TypeFunctor",
            "TypeKind",
            "TypeMutator",
            "TypeRelation",
            "TypeVisitor",
            "type_functor",
        ),
        "functions are not polymorphic; read checked_type",
    ),
    **dict.fromkeys(
        (
            "SourceName",
            "Span",
            "SpanCheck",
        ),
        "expressions keep no places of text",
    ),
    **dict.fromkeys(
        (
            "OpPattern",
            "op_attrs",
            "register_alter_op_layout",
            "register_compute",
            "register_external_compiler",
            "register_fake_quantization_to_integer",
            "register_gradient",
            "register_mixed_precision_conversion",
            "register_pattern",
        ),
        "operators are lowered by the compiler; see relay.register_strategy and s2s.register_custom_op",
    ),
    "debug": "look at values with contrib.debugger.debug_executor",
    "argwhere": _DYNAMIC,
    "copy_shape_func": _MEMORY,
    "optimize": "a build does not come back to expressions; run passes of relay.transform on the module",
    "device_copy": "values are copied between devices where annotation.on_device asks for it",
    "sparse_fill_empty_rows": _SPARSE,
    "sparse_to_dense": _SPARSE,
    "unique": _DYNAMIC,
}
NN: Mapping[str, str] = {
    "avg_pool2d_grad": GRADIENT,
    "bitpack": _BITS,
    "bitserial_conv2d": _BITS,
    "bitserial_dense": _BITS,
    "contrib_conv2d_gemm_weight_transform": _TRANSFORMED,
    "contrib_conv2d_gemm_without_weight_transform": _TRANSFORMED,
    "contrib_conv2d_nchwc": _PACKED,
    "contrib_conv2d_winograd_nnpack_weight_transform": _TRANSFORMED,
    "contrib_conv2d_winograd_weight_transform": _TRANSFORMED,
    "contrib_conv2d_winograd_without_weight_transform": _TRANSFORMED,
    "contrib_conv3d_winograd_weight_transform": _TRANSFORMED,
    "contrib_conv3d_winograd_without_weight_transform": _TRANSFORMED,
    "contrib_dense_pack": _PACKED,
    "contrib_depthwise_conv2d_nchwc": _PACKED,
    "conv2d_backward_weight": GRADIENT,
    "correlation": "it is of one network for optical flow; write it with slices, products and sums",
    "dropout_raw": "dropout does nothing in inference; use nn.dropout",
    "fifo_buffer": "state is kept by models that are imported with it, or compiled as streams",
    "max_pool2d_grad": GRADIENT,
    "sparse_add": _SPARSE,
    "sparse_dense": _SPARSE,
    "sparse_transpose": _SPARSE,
}
VISION: Mapping[str, str] = dict.fromkeys(
    (
        "all_class_non_max_suppression",
        "get_valid_counts",
        "multibox_transform_loc",
        "non_max_suppression",
        "proposal",
    ),
    _BOXES,
)
ANALYSIS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "AnnotatedRegionSet",
            "CallGraph",
            "call_graph",
            "check_basic_block_normal_form",
            "check_kind",
            "detect_feature",
            "extract_fused_functions",
            "extract_intermdeiate_expr",
            "feature",
            "get_calibration_data",
            "search_fc_transpose",
            "sparse_conv2d",
            "sparse_dense",
            "unmatched_cases",
        ),
        "the compiler asks no such question of an expression; visit it with ExprVisitor",
    ),
}
QNN: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "canonicalizations",
            "layout_conversions",
        ),
        "each operator is its meaning in integers; there is nothing to register",
    ),
    "contrib_dense_pack": _PACKED,
}
RANDOM: Mapping[str, str] = dict.fromkeys(
    ("multinomial", "normal", "threefry_generate", "threefry_key", "threefry_split", "uniform"), _RANDOM
)
MEMORY: Mapping[str, str] = dict.fromkeys(
    ("alloc_storage", "alloc_tensor", "flatten_tuple_type", "from_tuple_type", "to_tuple_type"), _MEMORY
)
FRONTEND: Mapping[str, str] = dict.fromkeys(
    (
        "ChangeDatatype", "from_caffe", "from_caffe2", "from_coreml", "from_darknet", "from_keras", "from_mxnet",
        "from_oneflow", "from_paddle", "from_tensorflow", "quantize_conv_bias_mkldnn_from_var",
    ),
    "write the model as ONNX or TFLite, and read it with from_onnx or from_tflite",
)  # fmt: skip
TESTING: Mapping[str, str] = dict.fromkeys(
    (
        "Prelude", "byoc", "count", "darknet", "dcgan", "densenet", "dqn", "gradient", "inception_v3", "make_nat_expr",
        "make_nat_value", "rand", "resnet_3d", "run_as_python", "squeezenet", "synthetic", "tf",
        "to_python", "vgg", "yolo_detection",
    ),
    "import the model, or write it with relay.nn",
)  # fmt: skip
TIR: Mapping[str, str] = dict.fromkeys(
    (
        "Allocate", "Block", "BufferLoad", "BufferStore", "Evaluate", "For", "ForKind", "IfThenElse",
        "PrimFunc", "SeqStmt",
    ),
    "loops are written as te.compute with a schedule, or as a function of C by te.extern",
)  # fmt: skip
_FORMULA = "formulas have no form for it"
NODES: Mapping[str, str] = {
    "Let": f"{_FORMULA}; write the value where it is read",
    "Not": f"{_FORMULA}; write the opposite comparison",
    "Ramp": f"{_FORMULA}; vectorize a loop",
    "Broadcast": f"{_FORMULA}; vectorize a loop",
    "Shuffle": f"{_FORMULA}; vectorize a loop",
    "StringImm": "texts are arguments of call_packed",
    "Any": "sizes are numbers, or te.var",
    "atan2": f"{_FORMULA}; write it with atan and if_then_else",
    "clz": f"{_FORMULA}; give a function of C by te.extern",
    "copysign": f"{_FORMULA}; write it with if_then_else",
    "ldexp": f"{_FORMULA}; multiply by tir.exp2",
    "nextafter": f"{_FORMULA}; give a function of C by te.extern",
    "q_multiply_shift": f"{_FORMULA}; write it in int64, with a product and a shift",
}
TARGET: Mapping[str, str] = {
    "VirtualDevice": "devices are given to relay.build(devices=...), by name",
    "datatype": "element types are numpy's",
    "make_compilation_config": "targets are given to relay.build",
    "rasp": "give the processor: Target('llvm -mcpu=cortex-a72')",
    "stm32": "give the processor: Target('c -mcpu=cortex-m4'), or micro.testing.get_target",
}
IR: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "Array",
            "Map",
        ),
        "lists and dictionaries are Python's",
    ),
    **dict.fromkeys(
        (
            "BaseExpr",
            "BaseFunc",
            "CallingConv",
            "DictAttrs",
            "EnvFunc",
            "Node",
            "PointerType",
            "PrimExpr",
            "PrimType",
            "Range",
            "RelayExpr",
            "diagnostics",
        ),
        "expressions are relay.Expr and te.Expr, functions relay.Function; there are no nodes of C++",
    ),
    **dict.fromkeys(
        (
            "Constructor",
            "GlobalTypeVar",
            "RelayRefType",
            "TensorAffineType",
            "TupleAffineType",
            "TypeCall",
            "TypeConstraint",
            "TypeData",
            "TypeKind",
            "TypeRelation",
            "SourceName",
            "Span",
        ),
        "types are those of tensors, tuples and functions, and expressions keep no places of text",
    ),
}
COMPILERS: Mapping[str, str] = {
    "get_target_by_dump_machine": "a target names its compiler; give cc= to export_library",
}
FILES: Mapping[str, str] = dict.fromkeys(
    ("DirectoryCreatedPastAtExit", "FileLock", "filelock"), "files are written whole; no lock is needed"
)
TOP: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "Object",
            "register_extension",
            "register_object",
        ),
        "values are Python's and numpy's; there are no objects of C++",
    ),
    "arith": "sizes are simplified by the compiler; formulas of te are as they are written",
    "tvm_wrap_excepthook": "nothing runs when an exception ends the program",
}
ANNOTATION: Mapping[str, str] = {
    "checkpoint": GRADIENT,
    "compiler_begin": GENERATORS,
    "compiler_end": GENERATORS,
    "function_on_device": "give annotation.on_device to expressions",
    "stop_fusion": "kernels are formed by relay.build; `relay.FuseOps.max_depth` limits them",
}
MICRO: Mapping[str, str] = {
    **dict.fromkeys(
        ("SessionTerminatedError", "TransportLogger", "copy_crt_config_header"),
        "boards answer on a serial line of s2s's own; use micro.generate_project and micro.Session",
    ),
    "create_local_debug_executor": "nodes are looked at one by one with contrib.debugger.debug_executor",
}
TASK: Mapping[str, str] = dict.fromkeys(
    (
        "TaskExtractEnv", "args_to_workload", "attach_code_hash", "attach_code_hash_to_arg", "clear_fallback_cache",
        "deserialize_args", "get_workload", "serialize_args",
    ),
    "tasks are made by extract_from_program or a template, and say what they are: task.workload, task.args",
)  # fmt: skip
MEASURE: Mapping[str, str] = {
    "default_module_loader": "runners load what builders made; leave module_loader out",
    "Executor": "measurements run in processes of the tuner; give LocalBuilder and LocalRunner",
    "request_remote": "use rpc.connect_tracker, or RPCRunner",
}
_LOOPS = "loops are written as te.compute with a schedule, or as a function of C by te.extern"
TE: Mapping[str, str] = {
    **dict.fromkeys(("HybridOp", "TensorComputeOp", "TensorIntrinCall", "create_prim_func", "extern_primfunc"), _LOOPS),
    "AXIS_SEPARATOR": "layouts of tensors are the plan's; use cache_read",
    "SpecializedCondition": "one kernel serves all sizes; build one for the size by bind=",
    "gradient": GRADIENT,
    "trace": "values inside of a kernel are not told; make the value a tensor of its own, and an argument",
}
RUNTIME: Mapping[str, str] = dict.fromkeys(
    ("Object", "ObjectPath", "ObjectPathPair", "Scriptable"),
    "values are Python's and numpy's; there are no objects of C++",
)
SPACE: Mapping[str, str] = dict.fromkeys(
    ("AnnotateSpace", "OtherOptionSpace", "ReorderSpace", "SplitSpace", "TransformSpace"),
    "the values of a knob are a list; use define_split, define_reorder, define_annotate or define_knob",
)
RPC: Mapping[str, str] = dict.fromkeys(
    ("PopenSession", "with_minrpc"), "servers are processes of s2s; use rpc.LocalSession, or rpc.Server and rpc.connect"
)
TOPHUB: Mapping[str, str] = dict.fromkeys(
    ("check_backend", "download_package", "load_reference_log"),
    "records are shipped with the compiler, and nothing is downloaded; give others by extra_files=",
)
CALLBACK: Mapping[str, str] = {"log_to_database": "records are lines of a log; use log_to_file"}
OWN_TESTS: Mapping[str, str] = dict.fromkeys(
    (
        "ErrorTest", "FrontendTestModule", "identity_cpp", "nop", "object_use_count", "run_check_signal",
        "test_check_eq_callback", "test_raise_error_callback", "test_wrap_callback", "CompareBeforeAfter", "Feature",
        "after_initializer", "assert_prim_expr_equal", "auto_scheduler", "call_cpp_ffi", "call_cpp_py_ffi",
        "call_py_ffi", "check_bool_expr_is_true", "check_int_constraints_trans_consistency", "check_numerical_grads",
        "disable_span_filling", "enable_span_filling", "fast_summation", "fetch_model_from_url", "identity_after",
        "initializer", "install_request_hook", "is_ampere_or_newer", "register_ffi", "skip_parameterizations",
        "slow_summation", "terminate_self", "timeout_job", "xfail_parameterizations",
    ),
    "it is of TVM's own tests",
)  # fmt: skip
ALL: Mapping[str, Mapping[str, str]] = {
    "relay": RELAY,
    "relay.nn": NN,
    "relay.vision": VISION,
    "relay.qnn.op": QNN,
    "relay.random": RANDOM,
    "relay.memory": MEMORY,
    "relay.annotation": ANNOTATION,
    "relay.testing": TESTING,
    "relay.frontend": FRONTEND,
    "relay.analysis": ANALYSIS,
    "tir": {**TIR, **NODES, **TIR_NAMES},
    "topi": TOPI,
    "topi.nn": TOPI_NN,
    "ir": IR,
    "contrib.cc": COMPILERS,
    "contrib.utils": FILES,
    "parser": {"SpanCheck": "expressions keep no places of text"},
    "": TOP,
    "micro": MICRO,
    "autotvm.callback": CALLBACK,
    "autotvm.task.space": SPACE,
    "autotvm.tophub": TOPHUB,
    "rpc": RPC,
    "runtime": RUNTIME,
    "te": TE,
    "autotvm.measure": MEASURE,
    "autotvm.task": TASK,
    "testing": OWN_TESTS,
    "target": TARGET,
}
"""The operators of each module."""


def refusing(module: str) -> Callable[[str], object]:
    """The function that gives the missing attributes of a module: of a refused operator, what raises its reason."""
    reasons = ALL.get(module, {})

    def attribute(name: str) -> object:
        refused = refused_module(f"{module}.{name}".lstrip("."))
        if refused is not None:
            return refused
        if name not in reasons:
            place = f"s2s.tvm.{module}".rstrip(".")
            raise AttributeError(f"module {place!r} has no attribute {name!r}")

        return Refused(f"{module}.{name}: is not offered; {reasons[name]}".lstrip("."))

    return attribute
