/* SPDX-License-Identifier: Apache-2.0 */
#include "s2s_pack.h"

#include <string.h>

#include "s2s_align.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the weights of a pack are little-endian: compile the network with --weights arrays"
#endif

enum { FORMAT = 1, LAST_KIND = 2, DIGEST = 32 };
enum { AT_FORMAT = 8, AT_HEADER = 10, AT_VERSION = 12, AT_LAYOUT = 16, AT_WEIGHTS = 48, AT_SIZE = 52, AT_ALIGN = 56 };
enum { AT_KIND = 60, AT_DIGEST = 64, AT_ZEROS = 96, AT_CRC = 124, AT_SIGNATURE = 128 };

static uint32_t number(const uint8_t *at, unsigned bytes)
{
    uint32_t found = 0u;

    while (bytes > 0u) {
        --bytes;
        found = (found << 8) | at[bytes];
    }
    return found;
}

static bool are_zeros(const uint8_t *at, size_t count)
{
    uint8_t every = 0u;

    for (size_t i = 0u; i < count; ++i) {
        every |= at[i];
    }
    return every == 0u;
}

#if S2S_PACK_CHECKSUMS
/* The CRC of Ethernet and ZIP, of four bits at a time. */
static uint32_t crc_of(uint32_t crc, const uint8_t *bytes, size_t count)
{
    static const uint32_t table[16] = {
        0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
        0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu, 0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu,
    };

    crc = ~crc;
    for (size_t i = 0u; i < count; ++i) {
        crc = (crc >> 4) ^ table[(crc ^ bytes[i]) & 15u];
        crc = (crc >> 4) ^ table[(crc ^ ((uint32_t)bytes[i] >> 4)) & 15u];
    }
    return ~crc;
}

static uint32_t rotated(uint32_t x, unsigned by)
{
    return (x >> by) | (x << (32u - by));
}

/* SHA-256, FIPS 180-4: one block of 64 bytes. */
static void digest_block(uint32_t state[8], const uint8_t *block)
{
    static const uint32_t k[64] = {
        0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
        0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
        0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
        0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
        0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
        0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
        0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
        0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
    };
    uint32_t w[16], s[8]; /* a ring of the schedule's last sixteen words */

    for (size_t i = 0u; i < 16u; ++i) {
        const uint8_t *at = block + 4u * i;

        w[i] = ((uint32_t)at[0] << 24) | ((uint32_t)at[1] << 16) | ((uint32_t)at[2] << 8) | at[3];
    }
    memcpy(s, state, sizeof s);
    for (size_t i = 0u; i < 64u; ++i) {
        const uint32_t e = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        const uint32_t a = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        const uint32_t first = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i % 16u];
        const uint32_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        const uint32_t near = w[(i + 1u) % 16u], far = w[(i + 14u) % 16u];

        w[i % 16u] += w[(i + 9u) % 16u] + (rotated(near, 7) ^ rotated(near, 18) ^ (near >> 3)) +
                      (rotated(far, 17) ^ rotated(far, 19) ^ (far >> 10));
        memmove(s + 1, s, 7u * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (size_t i = 0u; i < 8u; ++i) {
        state[i] += s[i];
    }
}

static bool has_digest(const uint8_t *bytes, size_t count, const uint8_t *digest)
{
    uint32_t state[8] = {
        0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u,
    };
    const size_t whole = count / 64u, rest = count % 64u;
    const uint64_t bits = (uint64_t)count * 8u;
    uint8_t end[64] = {0}, difference = 0u;

    for (size_t i = 0u; i < whole; ++i) {
        digest_block(state, bytes + 64u * i);
    }
    memcpy(end, bytes + 64u * whole, rest);
    end[rest] = 0x80u;
    if (rest >= 56u) { /* no room for the length */
        digest_block(state, end);
        memset(end, 0, sizeof end);
    }
    for (size_t i = 0u; i < 8u; ++i) {
        end[63u - i] = (uint8_t)(bits >> (8u * i));
    }
    digest_block(state, end);
    for (size_t i = 0u; i < DIGEST; ++i) {
        difference |= (uint8_t)(digest[i] ^ (uint8_t)(state[i / 4u] >> (24u - 8u * (i % 4u))));
    }
    return difference == 0u;
}

static bool is_whole(const uint8_t *bytes, size_t weights)
{
    const uint32_t crc = crc_of(crc_of(0u, bytes, AT_CRC), bytes + S2S_PACK_HEADER, weights);

    return crc == number(bytes + AT_CRC, 4) && has_digest(bytes + S2S_PACK_HEADER, weights, bytes + AT_DIGEST);
}
#else
static bool is_whole(const uint8_t *bytes, size_t weights)
{
    (void)bytes;
    (void)weights;
    return true;
}
#endif

/* What the header says of itself, and of how many bytes there are. */
static s2s_status check_header(const s2s_pack_layout *layout, const uint8_t *bytes, size_t size)
{
    if (size < S2S_PACK_HEADER) {
        return S2S_ERR_PACK_SIZE;
    }
    if (memcmp(bytes, "s2s-pack", 8) != 0) {
        return S2S_ERR_PACK;
    }
    if (number(bytes + AT_FORMAT, 2) != FORMAT || number(bytes + AT_HEADER, 2) != S2S_PACK_HEADER ||
        number(bytes + AT_KIND, 4) > LAST_KIND || !are_zeros(bytes + AT_ZEROS, AT_CRC - AT_ZEROS)) {
        return S2S_ERR_PACK_FORMAT;
    }
    if (memcmp(bytes + AT_LAYOUT, layout->hash, sizeof layout->hash) != 0 ||
        number(bytes + AT_ALIGN, 4) != layout->align) {
        return S2S_ERR_PACK_LAYOUT;
    }
    if (number(bytes + AT_WEIGHTS, 4) != layout->size || number(bytes + AT_SIZE, 4) != S2S_PACK_HEADER + layout->size ||
        size - S2S_PACK_HEADER < layout->size) {
        return S2S_ERR_PACK_SIZE;
    }
    return S2S_OK;
}

static bool is_signed(const s2s_pack *pack, const uint8_t *bytes)
{
    if (number(bytes + AT_KIND, 4) == 0u) {
        return pack->verify == NULL && are_zeros(bytes + AT_SIGNATURE, S2S_PACK_SIGNATURE);
    }
    return pack->verify == NULL || pack->verify(pack->context, bytes, bytes + AT_SIGNATURE);
}

s2s_status s2s_pack_bind(s2s_pack *pack, const s2s_pack_layout *layout, const void *address, size_t size)
{
    const uint8_t *const bytes = address;
    s2s_status status;

    if (pack == NULL || layout == NULL) {
        return S2S_ERR_NULL;
    }
    pack->weights = NULL;
    if (address == NULL) {
        return S2S_ERR_NULL;
    }
    if (!s2s_is_aligned(address, layout->align)) {
        return S2S_ERR_ALIGN;
    }
    status = check_header(layout, bytes, size);
    if (status != S2S_OK) {
        return status;
    }
    if (number(bytes + AT_VERSION, 4) < pack->least_version) {
        return S2S_ERR_PACK_VERSION;
    }
    if (!is_whole(bytes, layout->size)) {
        return S2S_ERR_PACK_DAMAGED;
    }
    if (!is_signed(pack, bytes)) {
        return S2S_ERR_PACK_SIGNATURE;
    }
    pack->version = number(bytes + AT_VERSION, 4);
    pack->weights = bytes + S2S_PACK_HEADER;
    return S2S_OK;
}
