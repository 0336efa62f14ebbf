/* Packs of weights: what is bound, and the status of each fault. */
#include "check.h"
#include "s2s_pack.h"

#include <string.h>

enum { MOST = 124, VERSION = 5 };

/* SHA-256 and CRC-32 of packs with 70 and with 124 bytes of weights, computed by Python's hashlib and zlib. */
static const struct {
    uint32_t size;
    uint8_t digest[32], crc[4];
} known[] = {
    {70u,
     {0xfb, 0x19, 0x07, 0xe5, 0x41, 0xf9, 0xc8, 0x15, 0x01, 0xe9, 0x5c, 0xc9, 0x5f, 0xbf, 0xac, 0xb2,
      0x63, 0xba, 0xb1, 0x99, 0x0a, 0xe9, 0xb5, 0x42, 0x72, 0x67, 0x3d, 0x51, 0x07, 0x51, 0x1d, 0x52},
     {0x4e, 0x6a, 0x05, 0x9c}},
    {124u,
     {0x2f, 0x78, 0x1a, 0x36, 0xcc, 0x86, 0x0b, 0x10, 0x20, 0xa4, 0x71, 0x3b, 0x66, 0x57, 0x73, 0x0a,
      0x78, 0x04, 0x2b, 0x2f, 0x24, 0x0c, 0x07, 0xaa, 0xc3, 0x5a, 0x38, 0x60, 0x30, 0xa0, 0xcd, 0xb1},
     {0x8d, 0x2f, 0x76, 0xbf}},
};

static union {
    uint64_t align;
    uint8_t bytes[S2S_PACK_HEADER + MOST + 8];
} memory;

static s2s_pack_layout layout;
static bool is_asked;

static void put(uint32_t at, uint32_t value)
{
    for (uint32_t i = 0u; i < 4u; ++i) {
        memory.bytes[at + i] = (uint8_t)(value >> (8u * i));
    }
}

/* Writes a pack into memory; returns its size. */
static size_t write_pack(int number)
{
    const uint32_t size = known[number].size;

    memset(memory.bytes, 0, sizeof memory.bytes);
    memcpy(memory.bytes, "s2s-pack", 8);
    put(8, 1u | (192u << 16));
    put(12, VERSION);
    for (uint8_t i = 0u; i < 32u; ++i) {
        layout.hash[i] = memory.bytes[16 + i] = i;
    }
    layout.size = size;
    layout.align = 4u;
    put(48, size);
    put(52, 192u + size);
    put(56, 4u);
    memcpy(memory.bytes + 64, known[number].digest, 32);
    memcpy(memory.bytes + 124, known[number].crc, 4);
    for (uint32_t i = 0u; i < size; ++i) {
        memory.bytes[192u + i] = (uint8_t)(i * 7u + 3u);
    }
    return 192u + size;
}

static void check_bound(int number)
{
    s2s_pack pack = {0};
    const size_t size = write_pack(number);

    CHECK_STATUS(S2S_OK, s2s_pack_bind(&pack, &layout, memory.bytes, size));
    CHECK(pack.weights == memory.bytes + 192 && pack.version == VERSION);
    CHECK_STATUS(S2S_OK, s2s_pack_bind(&pack, &layout, memory.bytes, size + 8u));
    CHECK_STATUS(S2S_ERR_PACK_SIZE, s2s_pack_bind(&pack, &layout, memory.bytes, size - 1u));
    CHECK(pack.weights == NULL);
    CHECK_STATUS(S2S_ERR_PACK_SIZE, s2s_pack_bind(&pack, &layout, memory.bytes, 191u));
    pack.least_version = VERSION;
    CHECK_STATUS(S2S_OK, s2s_pack_bind(&pack, &layout, memory.bytes, size));
    pack.least_version = VERSION + 1;
    CHECK_STATUS(S2S_ERR_PACK_VERSION, s2s_pack_bind(&pack, &layout, memory.bytes, size));
}

static void check_pointers(void)
{
    s2s_pack pack = {0};
    const size_t size = write_pack(0);

    CHECK_STATUS(S2S_ERR_NULL, s2s_pack_bind(NULL, &layout, memory.bytes, size));
    CHECK_STATUS(S2S_ERR_NULL, s2s_pack_bind(&pack, NULL, memory.bytes, size));
    CHECK_STATUS(S2S_ERR_NULL, s2s_pack_bind(&pack, &layout, NULL, size));
    CHECK_STATUS(S2S_ERR_ALIGN, s2s_pack_bind(&pack, &layout, memory.bytes + 1, size));
}

/* The status if a byte of the pack is another one; the pack is whole again behind it. */
static s2s_status with_byte(size_t at, uint8_t change)
{
    s2s_pack pack = {0};
    s2s_status status;

    memory.bytes[at] ^= change;
    status = s2s_pack_bind(&pack, &layout, memory.bytes, 192u + layout.size);
    memory.bytes[at] ^= change;
    CHECK(status == S2S_OK || pack.weights == NULL);
    return status;
}

static s2s_status wanted_of(size_t at)
{
    if (at < 8u) {
        return S2S_ERR_PACK;
    }
    if (at < 12u || (at >= 96u && at < 124u)) {
        return S2S_ERR_PACK_FORMAT;
    }
    if ((at >= 16u && at < 48u) || (at >= 56u && at < 60u)) {
        return S2S_ERR_PACK_LAYOUT;
    }
    if (at >= 48u && at < 56u) {
        return S2S_ERR_PACK_SIZE;
    }
    if (at >= 61u && at < 64u) {
        return S2S_ERR_PACK_FORMAT;
    }
    return at >= 128u && at < 192u ? S2S_ERR_PACK_SIGNATURE : S2S_ERR_PACK_DAMAGED;
}

static void check_every_byte(int number)
{
    const size_t size = write_pack(number);

    for (size_t at = 0u; at < size; ++at) {
        if (at != 60u) { /* the kind of the signature: 0 to 2 are known, and the CRC tells them apart */
            CHECK_STATUS(wanted_of(at), with_byte(at, 0x81u));
        }
    }
    CHECK_STATUS(S2S_ERR_PACK_DAMAGED, with_byte(60u, 1u));
    CHECK_STATUS(S2S_ERR_PACK_FORMAT, with_byte(60u, 4u));
}

static bool verify(void *context, const uint8_t *message, const uint8_t *signature)
{
    is_asked = message == memory.bytes && signature == memory.bytes + 128;
    return *(const bool *)context;
}

static uint32_t crc_of_pack(void)
{
    uint32_t crc = 0xffffffffu;

    for (size_t at = 0u; at < 192u + layout.size; ++at) {
        if (at < 124u || at >= 192u) {
            crc ^= memory.bytes[at];
            for (int bit = 0; bit < 8; ++bit) {
                crc = (crc >> 1) ^ ((crc & 1u) != 0u ? 0xedb88320u : 0u);
            }
        }
    }
    return ~crc;
}

static void check_signatures(void)
{
    bool is_right = true;
    const size_t size = write_pack(0);
    s2s_pack pack = {.verify = verify, .context = &is_right};

    CHECK_STATUS(S2S_ERR_PACK_SIGNATURE, s2s_pack_bind(&pack, &layout, memory.bytes, size));
    CHECK(!is_asked);
    put(60, 1u);
    put(124, crc_of_pack());
    memory.bytes[128] = 1u;
    CHECK_STATUS(S2S_OK, s2s_pack_bind(&pack, &layout, memory.bytes, size));
    CHECK(is_asked);
    is_right = false;
    CHECK_STATUS(S2S_ERR_PACK_SIGNATURE, s2s_pack_bind(&pack, &layout, memory.bytes, size));
    CHECK(pack.weights == NULL);
    pack.verify = NULL;
    CHECK_STATUS(S2S_OK, s2s_pack_bind(&pack, &layout, memory.bytes, size));
}

void test_pack(void)
{
    for (int number = 0; number < 2; ++number) {
        check_bound(number);
        check_every_byte(number);
    }
    check_pointers();
    check_signatures();
}
