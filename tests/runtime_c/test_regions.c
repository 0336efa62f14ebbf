/* Regions of images, pooled to bins. */
#include "check.h"
#include "s2s_regions.h"

#include <math.h>

enum { HEIGHT = 3, WIDTH = 4, LARGE = 1000 };

/* Two images of one channel: pixel (i, j) is 10 * i + j, in the second image 100 more. */
static void make_images(float *image)
{
    for (int32_t i = 0; i < 2 * HEIGHT * WIDTH; ++i) {
        image[i] = (float)(100 * (i / (HEIGHT * WIDTH)) + 10 * (i / WIDTH % HEIGHT) + i % WIDTH);
    }
}

/* One bin of one region. */
static float bin_of(float row, float column, float high, float wide, int32_t batch, int32_t ratio, int32_t largest)
{
    static const int32_t sizes[2] = {HEIGHT, WIDTH};
    const float starts[2] = {row, column}, bins[2] = {high, wide};
    float image[2 * HEIGHT * WIDTH], weights[HEIGHT + WIDTH], y = -1.0f;
    int32_t ends[2];

    make_images(image);
    s2s_roi_align_f32(
        &y, weights, ends, image, &batch, starts, bins, sizes, 1, 1, 1, ratio, largest, 2, HEIGHT, WIDTH, 1);
    return y;
}

static int is_near(float x, float y)
{
    return fabsf(x - y) < 1e-4f * (1.0f + fabsf(y));
}

static void samples_are_interpolated(void)
{
    CHECK(is_near(bin_of(0.0f, 0.0f, 1.0f, 1.0f, 0, 1, 0), 5.5f));
    CHECK(is_near(bin_of(0.0f, 0.0f, 2.0f, 2.0f, 0, 0, 0), 11.0f));
    CHECK(is_near(bin_of(0.0f, 0.0f, 2.0f, 2.0f, 1, 2, 0), 111.0f));
    CHECK(is_near(bin_of(0.0f, 0.0f, 1.0f, 1.0f, 0, 1, 1), 11.0f / 4.0f));
    CHECK(is_near(bin_of(1.5f, 2.5f, 1.0f, 1.0f, 0, 1, 0), 23.0f));
}

static void samples_outside_are_zero(void)
{
    CHECK(is_near(bin_of(0.0f, 0.0f, 1.0f, 8.0f, 0, 8, 0), (5.5f + 6.5f + 7.5f + 3 * 0.0f + 8.0f) / 8.0f));
    CHECK(bin_of(-9.0f, -9.0f, 2.0f, 2.0f, 0, 0, 0) == 0.0f);
    CHECK(bin_of(-9.0f, -9.0f, 2.0f, 2.0f, 0, 0, 1) == 0.0f);
    CHECK(bin_of(9.0f, 9.0f, 2.0f, 2.0f, 0, 2, 1) == 0.0f);
    CHECK(is_near(bin_of(0.0f, 0.0f, -1.0f, 1.0f, 0, 1, 0), 0.5f));
    CHECK(bin_of(0.0f, 0.0f, -9.0f, -9.0f, 0, 1, 1) == 0.0f);
    CHECK(is_near(bin_of(2.0f, 3.0f, -4.0f, -4.0f, 0, 2, 1), 12.0f));
}

static void a_bin_without_a_size_has_no_samples(void)
{
    static const float sizes[] = {0.0f, -3.0f, NAN, INFINITY, -INFINITY, 3e38f};

    for (int32_t i = 0; i < 6; ++i) {
        CHECK(bin_of(0.0f, 0.0f, sizes[i], 1.0f, 0, 0, 0) == 0.0f);
        CHECK(bin_of(0.0f, 0.0f, 1.0f, sizes[i], 0, 0, 1) == 0.0f);
        CHECK(bin_of(sizes[i], 0.0f, 1.0f, 1.0f, 7, 0, 0) >= 0.0f);
        CHECK(bin_of(0.0f, sizes[i], 1.0f, 1.0f, -7, 2, 1) >= 0.0f);
    }
}

/* Of 2^24 samples along each axis only those in the image are computed: all others would take years. */
static void large_regions_take_no_time(void)
{
    CHECK(bin_of(-8e6f, -8e6f, 16777216.0f, 16777216.0f, 0, 0, 0) < 1e-6f);
    CHECK(bin_of(-8e6f, -8e6f, 16777216.0f, 16777216.0f, 0, 0, 1) <= 23.0f);
    CHECK(bin_of(-4.0f, -4.0f, 16777216.0f, 16777216.0f, 0, 0, 1) <= 23.0f);
}

/* Of an image that is kept with two columns more than it has in this run. */
static void only_pixels_of_the_run_count(void)
{
    static const double image[HEIGHT * WIDTH] = {1, 2, 99, 99, 3, 4, 99, 99, 99, 99, 99, 99};
    static const int32_t sizes[2] = {2, 2}, batch[2] = {0, 0};
    static const double starts[4] = {0, 0, 1, 1}, bins[4] = {1, 2, 0.5, 0.5};
    double weights[HEIGHT + 2 * WIDTH], y[4];
    int32_t ends[4];

    s2s_roi_align_f64(y, weights, ends, image, batch, starts, bins, sizes, 2, 1, 2, 0, 0, 1, HEIGHT, WIDTH, 1);
    CHECK(fabs(y[0] - 2.75) < 1e-12 && y[1] == 0.0 && y[2] == 4.0 && y[3] == 4.0);
    s2s_roi_align_f64(y, weights, ends, image, batch, starts, bins, sizes, 2, 1, 2, 0, 1, 1, HEIGHT, WIDTH, 1);
    CHECK(y[2] == 4.0 && y[3] == 4.0);
}

/* Sizes that no image of this room has count as the nearest that one can have. */
static void sizes_are_limited_to_the_room(void)
{
    static const int32_t sizes[2][2] = {{LARGE, LARGE}, {0, -LARGE}}, batch = 0;
    static const float start[2] = {0.0f, 0.0f}, bin[2] = {1.0f, 1.0f}, expected[] = {5.5f, 0.0f};
    float image[2 * HEIGHT * WIDTH], weights[HEIGHT + WIDTH], y;
    int32_t ends[2];

    make_images(image);
    for (int32_t i = 0; i < 2; ++i) {
        s2s_roi_align_f32(
            &y, weights, ends, image, &batch, start, bin, sizes[i], 1, 1, 1, 1, 0, 2, HEIGHT, WIDTH, 1);
        CHECK(is_near(y, expected[i]));
    }
}

static void largest_elements_of_bins(void)
{
    static const int32_t batch[2] = {1, -4};
    static const int32_t high[] = {0, 2, -5, LARGE, 1, 1, 2, 3};
    static const int32_t wide[] = {0, 1, 1, LARGE, 0, LARGE, 3, 2};
    static const float expected[] = {110.0f, 113.0f, 120.0f, 123.0f, 0.0f, 0.0f, 23.0f, 0.0f};
    float image[2 * HEIGHT * WIDTH], y[8];

    make_images(image);
    s2s_max_regions_f32(y, image, batch, high, wide, 2, 2, 2, 2, HEIGHT, WIDTH, 1);
    for (int32_t i = 0; i < 8; ++i) {
        CHECK(y[i] == expected[i]);
    }
}

static void largest_elements_leave_out_nan(void)
{
    static const double image[] = {(double)NAN, -2.0, -3.0, (double)NAN, 1.0, 2.0};
    static const int32_t batch = 0, high[] = {0, 1}, wide[] = {0, 2};
    double y[3];

    s2s_max_regions_f64(y, image, &batch, high, wide, 1, 1, 1, 1, 1, 2, 3);
    CHECK(isinf(y[0]) && y[0] < 0.0 && y[1] == 1.0 && y[2] == 2.0);
}

void test_regions(void)
{
    samples_are_interpolated();
    samples_outside_are_zero();
    a_bin_without_a_size_has_no_samples();
    large_regions_take_no_time();
    only_pixels_of_the_run_count();
    sizes_are_limited_to_the_room();
    largest_elements_of_bins();
    largest_elements_leave_out_nan();
}
