"""Functions and tables as text: short pieces that a person reads, each also compiled without a warning."""

from textwrap import dedent

import pytest

from s2s.c_syntax.layout import WIDTH
from s2s.emit.statements import comment_lines
from s2s.errors import CompilerBug
from support.c_code import check_compiles, written


def check(module: str, expected: str) -> None:
    text = written(module)
    assert text == dedent(expected).lstrip("\n")
    check_compiles(text)


def test_a_kernel_reads_as_if_written_by_hand() -> None:
    check(
        """
        c.func static @dense(%y: !c.ptr<f32>, %x: !c.ptr<f32, const, restrict>, %w: !c.ptr<f32, const, restrict>)
            attributes {doc = "dense: y[i] = relu(sum_k w[i][k] * x[k]),  i < 8, k < 64\\nnodes: fc1, fc2"} {
          %lo = c.literal 0 : index
          %rows = c.literal 8 : index
          %columns = c.literal 64 : index
          %zero = c.literal 0.0 : f32
          c.for %i = %lo to %rows : index {
            %acc = c.variable = %zero : f32 -> !c.lvalue<f32>
            c.for %k = %lo to %columns unroll 8 : index {
              %row = c.binary %i "*" %columns : (index, index) -> index
              %at = c.binary %row "+" %k : (index, index) -> index
              %wp = c.subscript %w[%at] : (!c.ptr<f32, const, restrict>, index) -> !c.lvalue<f32, const>
              %wv = c.load %wp : (!c.lvalue<f32, const>) -> f32
              %xp = c.subscript %x[%k] : (!c.ptr<f32, const, restrict>, index) -> !c.lvalue<f32, const>
              %xv = c.load %xp : (!c.lvalue<f32, const>) -> f32
              %product = c.binary %wv "*" %xv : (f32, f32) -> f32
              c.assign %acc "+=" %product : !c.lvalue<f32>, f32
            }
            %sum = c.load %acc : (!c.lvalue<f32>) -> f32
            %negative = c.binary %sum "<" %zero : (f32, f32) -> i1
            %relu = c.conditional %negative, %zero, %sum : i1, f32
            %to = c.subscript %y[%i] : (!c.ptr<f32>, index) -> !c.lvalue<f32>
            c.assign %to "=" %relu : !c.lvalue<f32>, f32
          }
        }
        """,
        """
        /* dense: y[i] = relu(sum_k w[i][k] * x[k]),  i < 8, k < 64
         * nodes: fc1, fc2 */
        static void dense(float *y, const float *restrict x, const float *restrict w)
        {
            for (int32_t i = 0; i < 8; i++) {
                float acc = 0.0f;
                S2S_UNROLL(8)
                for (int32_t k = 0; k < 64; k++) {
                    acc += w[i * 64 + k] * x[k];
                }

                y[i] = acc < 0.0f ? 0.0f : acc;
            }
        }
        """,
    )


def test_declarations_come_first_and_stand_apart() -> None:
    check(
        """
        c.func static @scratch(%x: !c.ptr<ui8, const>, %unused: f64) -> i32 {
          %zero = c.literal 0 : index
          %wide = c.variable {align = 16, comment = "two pixels */"} -> !c.lvalue<!c.array<4 x !c.array<2 x i16>>>
          %from = c.subscript %x[%zero] : (!c.ptr<ui8, const>, index) -> !c.lvalue<ui8, const>
          %first = c.load %from : (!c.lvalue<ui8, const>) -> ui8
          %narrow = c.cast %first : ui8 to i16
          %square = c.binary %narrow "*" %narrow : (i16, i16) -> i32
          %row = c.subscript %wide[%zero] : (!c.lvalue<!c.array<4 x !c.array<2 x i16>>>, index)
              -> !c.lvalue<!c.array<2 x i16>>
          %place = c.subscript %row[%zero] : (!c.lvalue<!c.array<2 x i16>>, index) -> !c.lvalue<i16>
          c.assign %place "=" %narrow : !c.lvalue<i16>, i16
          c.comment "done"
          %again = c.load %place : (!c.lvalue<i16>) -> i16
          %sum = c.binary %square "+" %again : (i32, i16) -> i32
          c.return %sum : i32
        }
        """,
        """
        static int32_t scratch(const uint8_t *x, double unused)
        {
            S2S_ALIGNED(16) int16_t wide[4][2]; /* two pixels * / */
            const int16_t narrow = (int16_t)x[0];

            (void)unused;
            wide[0][0] = narrow;
            /* done */
            return narrow * narrow + wide[0][0];
        }
        """,
    )


def test_conditions_and_counting_down() -> None:
    check(
        """
        c.func @last(%x: !c.ptr<i8, const>) -> i64 {
          %top = c.literal 9 : i32
          %end = c.literal -1 : i32
          %none = c.literal -1 : i64
          %two = c.literal 2 : i64
          %found = c.variable = %none : i64 -> !c.lvalue<i64>
          c.for %i = %top to %end step -2 : i32 {
            %from = c.subscript %x[%i] : (!c.ptr<i8, const>, i32) -> !c.lvalue<i8, const>
            %value = c.load %from : (!c.lvalue<i8, const>) -> i8
            %true = c.unary "!" %value : (i8) -> i1
            c.if %true {
              c.assign %found "=" %none : !c.lvalue<i64>, i64
            } else {
              %old = c.load %found : (!c.lvalue<i64>) -> i64
              %twice = c.binary %old "*" %two : (i64, i64) -> i64
              c.assign %found "=" %twice : !c.lvalue<i64>, i64
            } : i1
          }
          %result = c.load %found : (!c.lvalue<i64>) -> i64
          c.return %result : i64
        }
        """,
        """
        int64_t last(const int8_t *x)
        {
            int64_t found = -1LL;

            for (int32_t i = 9; i > -1; i -= 2) {
                if (!x[i]) {
                    found = -1LL;
                } else {
                    found = found * 2LL;
                }
            }

            return found;
        }
        """,
    )


def test_an_array_parameter_says_how_much_is_behind_it() -> None:
    check(
        """
        c.func @kws_run(%arena: !c.ptr<!c.named<"void">>, %x: !c.ptr<i8, const>) -> f32
            attributes {parameters = ["arena", "x"], extents = ["", "490"]} {
          %one = c.literal 1.0 : f32
          c.return %one : f32
        }
        """,
        """
        float kws_run(void *arena, const int8_t x[490])
        {
            (void)arena;
            (void)x;
            return 1.0f;
        }
        """,
    )


def test_restrict_may_be_left_to_the_project() -> None:
    check(
        """
        c.func @copy(%y: !c.ptr<f32, restrict>, %x: !c.ptr<f32, const, restrict>) attributes {restrict_macro} {
        }
        """,
        """
        void copy(float *S2S_RESTRICT y, const float *S2S_RESTRICT x)
        {
            (void)y;
            (void)x;
        }
        """,
    )


def test_buffers_lie_over_each_other_with_their_types() -> None:
    check(
        """
        c.overlay @net_arena members ["conv1", "pool1"] offsets [0, 64] types [!c.array<16 x f32>, !c.array<4 x i8>]
        c.func @first(%arena: !c.ptr<!c.named<"net_arena">>) -> !c.ptr<i8> {
          %pool = c.member %arena "pool1" : (!c.ptr<!c.named<"net_arena">>) -> !c.lvalue<!c.named<"struct">>
          %data = c.member %pool "data" : (!c.lvalue<!c.named<"struct">>) -> !c.lvalue<!c.array<4 x i8>>
          %at = c.address_of %data : (!c.lvalue<!c.array<4 x i8>>) -> !c.ptr<i8>
          c.return %at : !c.ptr<i8>
        }
        """,
        """
        typedef union net_arena {
            struct { float data[16]; } conv1;
            struct { uint8_t before[64]; int8_t data[4]; } pool1;
        } net_arena;

        int8_t *first(net_arena *arena)
        {
            return arena->pool1.data;
        }
        """,
    )


def test_tables_hold_rows_of_numbers_names_and_text() -> None:
    text = written(
        """
        c.global static @taps : !c.array<2 x !c.array<2 x i8>> = dense<[[1, -2], [3, -128]]> : tensor<2x2xi8>
        c.global static @rows : !c.array<2 x !c.named<"row">> = [[1 : i32, "a\\22b"], [2 : i32, @taps]]
            {comment = "rows"}
        """
    )
    assert text == (
        "static const int8_t taps[2][2] = {{1, -2}, {3, -128}};\n\n"
        '/* rows */\nstatic const row rows[2] = {\n    {1, "a\\"b"}, /* 0 */\n    {2, taps},   /* 1 */\n};\n'
    )


def test_long_lines_are_broken_behind_their_opening() -> None:
    text = written(
        """
        c.func @combine(%alpha: f32, %beta: f32, %gamma: f32, %delta: f32, %epsilon: f32, %zeta: f32, %eta: f32)
            -> f32 {
          %t = c.call "function_of_values"(%alpha, %beta, %gamma, %delta, %epsilon, %zeta, %eta) {pure}
              : (f32, f32, f32, f32, f32, f32, f32) -> f32
          c.call "procedure_of_values"(%t, %alpha, %beta, %gamma, %delta, %epsilon, %zeta, %eta)
              : (f32, f32, f32, f32, f32, f32, f32, f32) -> ()
          c.return %alpha : f32
        }
        """
    )
    assert text == dedent(
        """\
        float combine(float alpha, float beta, float gamma_, float delta, float epsilon, float zeta, float eta)
        {
            procedure_of_values(function_of_values(alpha, beta, gamma_, delta, epsilon, zeta, eta), alpha, beta,
                                gamma_, delta, epsilon, zeta, eta);
            return alpha;
        }
        """
    )


def test_a_value_without_a_name_is_refused() -> None:
    from xdsl.parser import Parser

    from s2s.dialects import c
    from s2s.emit.statements import FunctionWriter
    from s2s.passes.context import CompilerContext

    module = Parser(CompilerContext(), "c.func @f(%x: f32) { }").parse_module()
    (func,) = module.ops
    assert isinstance(func, c.FuncOp)
    with pytest.raises(CompilerBug, match="was c-name-temporaries run"):
        FunctionWriter(func)


def test_a_variable_that_is_only_read_is_const() -> None:
    check(
        """
        c.func static @sum(%y: !c.ptr<f32>, %x: !c.ptr<f32, const>) {
          %zero = c.literal 0 : i32
          %read = c.call "s2s_f32_pair_load"(%x) {pure, header = "\\22s2s_pairs.h\\22"}
            : (!c.ptr<f32, const>) -> !c.named<"s2s_f32_pair">
          %pair = c.variable = %read : !c.named<"s2s_f32_pair"> -> !c.lvalue<!c.named<"s2s_f32_pair">>
          %low = c.member %pair "low" : (!c.lvalue<!c.named<"s2s_f32_pair">>) -> !c.lvalue<f32>
          %a = c.load %low : (!c.lvalue<f32>) -> f32
          %high = c.member %pair "high" : (!c.lvalue<!c.named<"s2s_f32_pair">>) -> !c.lvalue<f32>
          %b = c.load %high : (!c.lvalue<f32>) -> f32
          %both = c.binary %a "+" %b : (f32, f32) -> f32
          %to = c.subscript %y[%zero] : (!c.ptr<f32>, i32) -> !c.lvalue<f32>
          c.assign %to "=" %both : !c.lvalue<f32>, f32
        }
        """,
        """
        static void sum(float *y, const float *x)
        {
            const s2s_f32_pair pair = s2s_f32_pair_load(x);

            y[0] = pair.low + pair.high;
        }
        """,
    )


def test_a_formula_keeps_indices_and_extents_together():
    product = "w[oc][kh * 4 + kw]"
    text = f"y[oh][ow][oc] = clamp(sum(kh kw: (x[oh * 2 + kh - 4][ow * 2 + kw - 1] - 83) * {product}) + bias[oc], 0, 6)"
    extents = ",  oh < 25, ow < 5, oc < 64, kh < 10, kw < 4, ic < 1024, batch < 16"
    lines = comment_lines(text + extents)
    assert all(len(line) <= WIDTH for line in lines)
    assert " ".join(" ".join(line[3:].split()) for line in lines) == " ".join(f"{text}{extents} */".split())
    assert any(product in line for line in lines)
    assert not any(line.endswith("<") or line[3:].lstrip().startswith("<") for line in lines)


def test_words_break_at_the_last_space():
    lines = comment_lines(" ".join(["word"] * 36))
    assert len(lines[0]) > WIDTH - 10


def test_a_case_that_declares_has_braces() -> None:
    check(
        """
        c.func static @f(%y: !c.ptr<i32>, %n: i32) -> i32 {
          c.switch %n {
            %two = c.literal 2 : i32
            %half = c.binary %n "/" %two : (i32, i32) -> i32
            %t = c.let "t" %half : (i32) -> i32
            c.return %t : i32
          } {
            %four = c.literal 4 : i32
            %quarter = c.binary %n "/" %four : (i32, i32) -> i32
            %t = c.let "t" %quarter : (i32) -> i32
            %to = c.subscript %y[%t] : (!c.ptr<i32>, i32) -> !c.lvalue<i32>
            c.assign %to "=" %n : !c.lvalue<i32>, i32
          } {
            c.comment "anything else"
          } : i32
          c.return %n : i32
        }
        """,
        """
        static int32_t f(int32_t *y, int32_t n)
        {
            switch (n) {
            case 0: {
                const int32_t t = n / 2;
                return t;
            }
            case 1: {
                const int32_t t = n / 4;
                y[t] = n;
                break;
            }
            default:
                /* anything else */
                break;
            }
            return n;
        }
        """,
    )
