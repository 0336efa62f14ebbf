"""The `graph` dialect: networks as operators on whole tensors, in SSA form.

Every operation infers its result type when built and checks it when verified (`s2s.types.shapes`), has a meaning in
numpy (`s2s.interpret.graph`), and states how it may join a kernel (`fusion_kind`).
"""

from xdsl.ir import Dialect

from s2s.dialects.graph.binary import (
    AddOp,
    BitwiseAndOp,
    BitwiseOrOp,
    BitwiseXorOp,
    DivOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalOrOp,
    LogicalXorOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MulOp,
    PowOp,
    PreluOp,
    SelectOp,
    ShiftLeftOp,
    ShiftRightOp,
    SubOp,
)
from s2s.dialects.graph.binary import (
    BinaryElementwiseOp as BinaryElementwiseOp,
)
from s2s.dialects.graph.binary import (
    CompareOp as CompareOp,
)
from s2s.dialects.graph.blockwise import DEQUANTISED as DEQUANTISED
from s2s.dialects.graph.blockwise import BlockwiseDotOp, BlockwiseMatmulOp, CodebookMatmulOp
from s2s.dialects.graph.columns import SumPatchesOp
from s2s.dialects.graph.control import (
    TIED as TIED,
)
from s2s.dialects.graph.control import (
    IfOp,
    ScanOp,
    WhileOp,
)
from s2s.dialects.graph.control import (
    NetworkOp as NetworkOp,
)
from s2s.dialects.graph.control import (
    tied_arguments as tied_arguments,
)
from s2s.dialects.graph.conv import ConvFamilyOp as ConvFamilyOp
from s2s.dialects.graph.conv import ConvOp, ConvTransposeOp
from s2s.dialects.graph.device import DeviceCopyOp
from s2s.dialects.graph.elementwise import (
    AbsOp,
    AcoshOp,
    AcosOp,
    AsinhOp,
    AsinOp,
    AtanhOp,
    AtanOp,
    BitcastOp,
    BitwiseNotOp,
    CastOp,
    CeilOp,
    ClampOp,
    CoshOp,
    CosOp,
    CountLeadingZerosOp,
    ErfOp,
    ExpOp,
    FloorOp,
    IdentityOp,
    IsInfOp,
    IsNanOp,
    LogicalNotOp,
    LogOp,
    NegOp,
    ReciprocalOp,
    RoundOp,
    RsqrtOp,
    SigmoidOp,
    SignOp,
    SinhOp,
    SinOp,
    SqrtOp,
    TanhOp,
    TanOp,
)
from s2s.dialects.graph.elementwise import (
    ElementwiseOp as ElementwiseOp,
)
from s2s.dialects.graph.elementwise import (
    PredicateOp as PredicateOp,
)
from s2s.dialects.graph.elementwise import (
    UnaryElementwiseOp as UnaryElementwiseOp,
)
from s2s.dialects.graph.extern import ExternOp
from s2s.dialects.graph.index import GatherElementsOp, GatherNdOp, GatherOp
from s2s.dialects.graph.index import GatherFamilyOp as GatherFamilyOp
from s2s.dialects.graph.index import IndexingOp as IndexingOp
from s2s.dialects.graph.interfaces import ConstantInterface as ConstantInterface
from s2s.dialects.graph.interfaces import MoveInterface as MoveInterface
from s2s.dialects.graph.interfaces import OperatorInterface as OperatorInterface
from s2s.dialects.graph.interfaces import ParametersInterface as ParametersInterface
from s2s.dialects.graph.interfaces import ReadsSizesInterface as ReadsSizesInterface
from s2s.dialects.graph.interfaces import StepInterface as StepInterface
from s2s.dialects.graph.interfaces import ViewInterface as ViewInterface
from s2s.dialects.graph.interfaces import computes as computes
from s2s.dialects.graph.linear import DeterminantOp, MatmulOp
from s2s.dialects.graph.linear import LayerOp as LayerOp
from s2s.dialects.graph.norm import BatchNormOp, LayerNormOp, LogSoftmaxOp, LrnOp, SoftmaxOp
from s2s.dialects.graph.pool import AvgPoolOp, MaxPoolIndicesOp, MaxPoolOp, SameAvgPoolOp
from s2s.dialects.graph.quantize import RescaleOp, TableOp
from s2s.dialects.graph.reduce import (
    ArgmaxOp,
    ArgminOp,
    CumsumOp,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
    RowOrderOp,
    TopKOp,
)
from s2s.dialects.graph.regions import MaxRegionsOp, RoiAlignOp
from s2s.dialects.graph.run_sizes import DynamicReshapeOp, DynamicSliceOp, SamePadOp, SizeValuesOp
from s2s.dialects.graph.run_sizes import SizedOp as SizedOp
from s2s.dialects.graph.scatter import ScatterElementsOp, ScatterNdOp
from s2s.dialects.graph.scatter import ScatterFamilyOp as ScatterFamilyOp
from s2s.dialects.graph.selection import NonMaxSuppressionOp, NonzeroOp
from s2s.dialects.graph.shape import BroadcastToOp, ConcatOp, IotaOp, PadOp, ReshapeOp, SliceOp, TileOp, TransposeOp
from s2s.dialects.graph.signal import DftOp, FixedDftOp
from s2s.dialects.graph.sliding import AdvanceOp, InsertSliceOp, LineBuffersOp
from s2s.dialects.graph.structure import CallOp, ConstantOp, RequireOp, WeightOp
from s2s.dialects.graph.superblocks import SuperblockDotOp, SuperblockMatmulOp
from s2s.dialects.graph.traits import (
    FusionKind as FusionKind,
)
from s2s.dialects.graph.traits import (
    HasFusionKind as HasFusionKind,
)
from s2s.dialects.graph.traits import (
    copy_provenance as copy_provenance,
)
from s2s.dialects.graph.traits import (
    fusion_kind as fusion_kind,
)
from s2s.dialects.graph.traits import (
    part_of as part_of,
)
from s2s.dialects.graph.traits import (
    provenance as provenance,
)
from s2s.dialects.graph.traits import (
    set_provenance as set_provenance,
)
from s2s.dialects.graph.trees import TreeEnsembleOp

Graph = Dialect(
    "graph",
    [
        CallOp,
        ConstantOp,
        WeightOp,
        ExternOp,
        RequireOp,
        IfOp,
        ScanOp,
        LineBuffersOp,
        WhileOp,
        AbsOp,
        AcosOp,
        AcoshOp,
        AsinOp,
        AsinhOp,
        AtanOp,
        AtanhOp,
        BitcastOp,
        BitwiseNotOp,
        CastOp,
        CeilOp,
        ClampOp,
        CosOp,
        CoshOp,
        CountLeadingZerosOp,
        ErfOp,
        ExpOp,
        FloorOp,
        IdentityOp,
        IsInfOp,
        IsNanOp,
        LogOp,
        LogicalNotOp,
        NegOp,
        ReciprocalOp,
        RoundOp,
        RsqrtOp,
        SigmoidOp,
        SignOp,
        SinOp,
        SinhOp,
        SqrtOp,
        TanOp,
        TanhOp,
        AddOp,
        BitwiseAndOp,
        BitwiseOrOp,
        BitwiseXorOp,
        DivOp,
        EqualOp,
        GreaterEqualOp,
        GreaterOp,
        LessEqualOp,
        LessOp,
        LogicalAndOp,
        LogicalOrOp,
        LogicalXorOp,
        MaximumOp,
        MinimumOp,
        ModOp,
        MulOp,
        PowOp,
        PreluOp,
        SelectOp,
        ShiftLeftOp,
        ShiftRightOp,
        SubOp,
        ConvOp,
        ConvTransposeOp,
        SumPatchesOp,
        DeterminantOp,
        MatmulOp,
        DeviceCopyOp,
        BlockwiseMatmulOp,
        BlockwiseDotOp,
        CodebookMatmulOp,
        SuperblockMatmulOp,
        SuperblockDotOp,
        AvgPoolOp,
        MaxPoolIndicesOp,
        MaxPoolOp,
        SameAvgPoolOp,
        BatchNormOp,
        LayerNormOp,
        LogSoftmaxOp,
        LrnOp,
        SoftmaxOp,
        RescaleOp,
        TableOp,
        BroadcastToOp,
        ConcatOp,
        IotaOp,
        PadOp,
        ReshapeOp,
        SliceOp,
        TileOp,
        RowOrderOp,
        TopKOp,
        TreeEnsembleOp,
        DftOp,
        FixedDftOp,
        TransposeOp,
        GatherElementsOp,
        GatherNdOp,
        GatherOp,
        NonMaxSuppressionOp,
        NonzeroOp,
        MaxRegionsOp,
        RoiAlignOp,
        DynamicReshapeOp,
        DynamicSliceOp,
        SamePadOp,
        SizeValuesOp,
        ScatterElementsOp,
        ScatterNdOp,
        AdvanceOp,
        InsertSliceOp,
        ArgmaxOp,
        ArgminOp,
        CumsumOp,
        ReduceMaxOp,
        ReduceMeanOp,
        ReduceMinOp,
        ReduceProdOp,
        ReduceSumOp,
    ],
    [],
)
