"""The C that all convolutions of one tree share: makes the library's objects in the first run, and runs them."""

HEADERS = ("<dnnl.h>", "<math.h>", "<stdint.h>", "<string.h>")

DEFINITIONS = """
#if DNNL_VERSION_MAJOR != 2
#error "this code calls the C interface of oneDNN 2"
#endif

#define DNNL_TRY(call)                        \\
    do {                                      \\
        const dnnl_status_t status_ = (call); \\
        if (status_ != dnnl_success) {        \\
            return status_;                   \\
        }                                     \\
    } while (0)

/* A convolution. Sizes are N, C, H, W and groups, outputs and inputs of a group, H, W. */
typedef struct {
    dnnl_dims_t x, y, w, strides, dilations, before, after;
    dnnl_format_tag_t layout;
    int adds, clips;
    float low, high;
} dnnl_layer_shape;

/* What the library makes of it in the first run of a thread, and keeps. Reorders are NULL where the convolution reads
 * and writes the layout of the network. */
typedef struct {
    int is_made;
    dnnl_stream_t stream;
    dnnl_primitive_t convolve, enter, leave, enter_other;
    dnnl_memory_t x, y, other, inner_x, inner_y, weights, bias;
} dnnl_layer;

static dnnl_status_t dnnl_layer_reorder(dnnl_primitive_t *made, const dnnl_memory_desc_t *from,
                                        const dnnl_memory_desc_t *to, dnnl_engine_t engine)
{
    dnnl_primitive_desc_t description;

    *made = NULL;
    if (dnnl_memory_desc_equal(from, to)) {
        return dnnl_success;
    }
    DNNL_TRY(dnnl_reorder_primitive_desc_create(&description, from, engine, to, engine, NULL));
    DNNL_TRY(dnnl_primitive_create(made, description));
    return dnnl_primitive_desc_destroy(description);
}

static dnnl_status_t dnnl_layer_move(dnnl_primitive_t reorder, dnnl_stream_t stream, dnnl_memory_t from,
                                     dnnl_memory_t to)
{
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};

    return dnnl_primitive_execute(reorder, stream, 2, arguments);
}

static dnnl_status_t dnnl_layer_attributes(const dnnl_layer_shape *shape, dnnl_primitive_attr_t *attributes)
{
    dnnl_post_ops_t after;

    DNNL_TRY(dnnl_primitive_attr_create(attributes));
    DNNL_TRY(dnnl_post_ops_create(&after));
    if (shape->adds) {
        DNNL_TRY(dnnl_post_ops_append_sum(after, 1.0f));
    }
    if (shape->clips && shape->low == 0.0f && isinf(shape->high)) {
        DNNL_TRY(dnnl_post_ops_append_eltwise(after, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f));
    } else if (shape->clips) {
        DNNL_TRY(dnnl_post_ops_append_eltwise(after, 1.0f, dnnl_eltwise_clip, shape->low, shape->high));
    }
    DNNL_TRY(dnnl_primitive_attr_set_post_ops(*attributes, after));
    return dnnl_post_ops_destroy(after);
}

/* Convert the weights to the layout that the convolution wants. */
static dnnl_status_t dnnl_layer_pack(dnnl_layer *layer, const float *weights, const dnnl_memory_desc_t *given,
                                     const dnnl_memory_desc_t *wanted, dnnl_engine_t engine)
{
    dnnl_memory_t plain;
    dnnl_primitive_t pack;

    DNNL_TRY(dnnl_memory_create(&plain, given, engine, (void *)weights));
    DNNL_TRY(dnnl_layer_reorder(&pack, given, wanted, engine));
    if (pack == NULL) {
        layer->weights = plain;
        return dnnl_success;
    }
    DNNL_TRY(dnnl_memory_create(&layer->weights, wanted, engine, DNNL_MEMORY_ALLOCATE));
    DNNL_TRY(dnnl_layer_move(pack, layer->stream, plain, layer->weights));
    DNNL_TRY(dnnl_stream_wait(layer->stream));
    DNNL_TRY(dnnl_primitive_destroy(pack));
    return dnnl_memory_destroy(plain);
}

static dnnl_status_t dnnl_layer_make(dnnl_layer *layer, const dnnl_layer_shape *shape, const float *weights,
                                     const float *bias)
{
    const int grouped = shape->w[0] > 1;
    const dnnl_format_tag_t any = shape->layout == dnnl_nchw ? dnnl_format_tag_any : shape->layout;
    const dnnl_dims_t outputs = {shape->w[0] * shape->w[1]};
    dnnl_memory_desc_t x, y, w, b, inner_x, inner_y, inner_w;
    const dnnl_memory_desc_t *wanted_x, *wanted_y, *wanted_w;
    dnnl_convolution_desc_t convolution;
    dnnl_primitive_attr_t attributes;
    dnnl_primitive_desc_t description;
    dnnl_engine_t engine;

    DNNL_TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
    DNNL_TRY(dnnl_stream_create(&layer->stream, engine, dnnl_stream_default_flags));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&x, 4, shape->x, dnnl_f32, shape->layout));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&y, 4, shape->y, dnnl_f32, shape->layout));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&w, grouped ? 5 : 4, shape->w + !grouped, dnnl_f32,
                                          grouped ? dnnl_goihw : dnnl_oihw));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&b, 1, outputs, dnnl_f32, dnnl_a));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&inner_x, 4, shape->x, dnnl_f32, any));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&inner_y, 4, shape->y, dnnl_f32, any));
    DNNL_TRY(dnnl_memory_desc_init_by_tag(&inner_w, grouped ? 5 : 4, shape->w + !grouped, dnnl_f32,
                                          dnnl_format_tag_any));
    DNNL_TRY(dnnl_dilated_convolution_forward_desc_init(&convolution, dnnl_forward_inference, dnnl_convolution_auto,
                                                        &inner_x, &inner_w, &b, &inner_y, shape->strides,
                                                        shape->dilations, shape->before, shape->after));
    DNNL_TRY(dnnl_layer_attributes(shape, &attributes));
    DNNL_TRY(dnnl_primitive_desc_create(&description, &convolution, attributes, engine, NULL));
    DNNL_TRY(dnnl_primitive_create(&layer->convolve, description));
    wanted_x = dnnl_primitive_desc_query_md(description, dnnl_query_src_md, 0);
    wanted_y = dnnl_primitive_desc_query_md(description, dnnl_query_dst_md, 0);
    wanted_w = dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
    DNNL_TRY(dnnl_layer_reorder(&layer->enter, &x, wanted_x, engine));
    DNNL_TRY(dnnl_layer_reorder(&layer->leave, wanted_y, &y, engine));
    DNNL_TRY(dnnl_layer_reorder(&layer->enter_other, &y, wanted_y, engine));
    DNNL_TRY(dnnl_memory_create(&layer->x, &x, engine, DNNL_MEMORY_NONE));
    DNNL_TRY(dnnl_memory_create(&layer->y, &y, engine, DNNL_MEMORY_NONE));
    DNNL_TRY(dnnl_memory_create(&layer->other, &y, engine, DNNL_MEMORY_NONE));
    DNNL_TRY(dnnl_memory_create(&layer->bias, &b, engine, (void *)bias));
    layer->inner_x = layer->x;
    layer->inner_y = layer->y;
    if (layer->enter != NULL) {
        DNNL_TRY(dnnl_memory_create(&layer->inner_x, wanted_x, engine, DNNL_MEMORY_ALLOCATE));
    }
    if (layer->leave != NULL) {
        DNNL_TRY(dnnl_memory_create(&layer->inner_y, wanted_y, engine, DNNL_MEMORY_ALLOCATE));
    }
    DNNL_TRY(dnnl_layer_pack(layer, weights, &w, wanted_w, engine));
    layer->is_made = 1;
    DNNL_TRY(dnnl_primitive_attr_destroy(attributes));
    return dnnl_primitive_desc_destroy(description);
}

static dnnl_status_t dnnl_layer_try(dnnl_layer *layer, const dnnl_layer_shape *shape, float *y, const float *x,
                                    const float *weights, const float *bias, const float *other)
{
    if (!layer->is_made) {
        DNNL_TRY(dnnl_layer_make(layer, shape, weights, bias));
    }
    DNNL_TRY(dnnl_memory_set_data_handle(layer->x, (void *)x));
    DNNL_TRY(dnnl_memory_set_data_handle(layer->y, y));
    if (layer->enter != NULL) {
        DNNL_TRY(dnnl_layer_move(layer->enter, layer->stream, layer->x, layer->inner_x));
    }
    if (other != NULL && layer->enter_other != NULL) {
        DNNL_TRY(dnnl_memory_set_data_handle(layer->other, (void *)other));
        DNNL_TRY(dnnl_layer_move(layer->enter_other, layer->stream, layer->other, layer->inner_y));
    } else if (other != NULL && other != y) {
        memcpy(y, other, (size_t)(shape->y[0] * shape->y[1] * shape->y[2] * shape->y[3]) * sizeof *y);
    }
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, layer->inner_x},
                                         {DNNL_ARG_WEIGHTS, layer->weights},
                                         {DNNL_ARG_BIAS, layer->bias},
                                         {DNNL_ARG_DST, layer->inner_y}};
    DNNL_TRY(dnnl_primitive_execute(layer->convolve, layer->stream, 4, arguments));
    if (layer->leave != NULL) {
        DNNL_TRY(dnnl_layer_move(layer->leave, layer->stream, layer->inner_y, layer->y));
    }
    return dnnl_stream_wait(layer->stream);
}

/* y = clip(conv(x, weights) + bias + other); NaN where the library reports an error. `other` may be NULL. */
static void dnnl_layer_run(dnnl_layer *layer, const dnnl_layer_shape *shape, float *y, const float *x,
                           const float *weights, const float *bias, const float *other)
{
    if (dnnl_layer_try(layer, shape, y, x, weights, bias, other) != dnnl_success) {
        for (int64_t i = 0; i < shape->y[0] * shape->y[1] * shape->y[2] * shape->y[3]; i++) {
            y[i] = NAN;
        }
    }
}
"""
