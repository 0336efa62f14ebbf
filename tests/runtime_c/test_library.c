/* The libraries that a program lists are found, whatever their order. */
#include "check.h"
#include "s2s_library.h"

#include <stdbool.h>
#include <stdint.h>

static const unsigned char blob[] = {1u, 2u, 3u};
static const s2s_library first = {NULL, 0u, blob, sizeof blob};
S2S_LISTED(first)

#if defined(__ELF__) && defined(__GNUC__)
static const s2s_library second = {NULL, 0u, NULL, 0u};
S2S_LISTED(second)
#define LISTED 2
#else
#define LISTED 1
#endif

static bool is_listed(const s2s_library *wanted)
{
    uint32_t count = 0u;
    const s2s_library *const *libraries = s2s_libraries(&count);
    bool found = false;

    for (uint32_t i = 0u; i < count; ++i) {
        found = found || libraries[i] == wanted;
    }
    return found;
}

static void every_listed_library_is_found(void)
{
    uint32_t count = 0u;

    CHECK(s2s_libraries(&count) != NULL);
    CHECK(count == (uint32_t)LISTED);
    CHECK(is_listed(&first));
#if LISTED > 1
    CHECK(is_listed(&second));
#endif
}

void test_library(void)
{
    every_listed_library_is_found();
}
