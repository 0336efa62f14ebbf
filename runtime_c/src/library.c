/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that were linked together; the contract is in s2s_library.h. */
#include "s2s_library.h"

#if defined(__ELF__) && defined(__GNUC__)
/* The linker defines both for a section whose name is one of C. */
extern const s2s_library *const __start_s2s_listed[] __attribute__((weak, visibility("hidden")));
extern const s2s_library *const __stop_s2s_listed[] __attribute__((weak, visibility("hidden")));

S2S_MERGED
const s2s_library *const *s2s_libraries(uint32_t *count)
{
    *count = (uint32_t)(((uintptr_t)__stop_s2s_listed - (uintptr_t)__start_s2s_listed) / sizeof(s2s_library *));
    return __start_s2s_listed;
}
#else
extern const s2s_library *const s2s_library_only;

const s2s_library *const *s2s_libraries(uint32_t *count)
{
    *count = 1u;
    return &s2s_library_only;
}
#endif
