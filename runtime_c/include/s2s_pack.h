/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_pack.h: the weights of a network in a file of their own, which is read where it lies: flash that the processor
 * reads, a mapped file, memory. A network that wants one has a function NET_bind_weights, which calls s2s_pack_bind.
 *
 * All numbers are little-endian.
 *
 *   offset  bytes
 *        0      8  "s2s-pack"
 *        8      2  format: 1
 *       10      2  bytes of the header: 192
 *       12      4  version of the model, as its maker counts
 *       16     32  layout: SHA-256 of what the code takes for granted
 *       48      4  bytes of the weights
 *       52      4  bytes of the pack: the header's and the weights'
 *       56      4  alignment of the pack
 *       60      4  kind of the signature: 0 none, 1 Ed25519, 2 ECDSA of P-256 over SHA-256, as r and s
 *       64     32  SHA-256 of the weights
 *       96     28  zeros
 *      124      4  CRC-32 of the bytes before, and of the weights
 *      128     64  signature of the bytes before; zeros where there is none
 *      192      …  weights
 */
#ifndef S2S_PACK_H
#define S2S_PACK_H

#include "s2s.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0 leaves CRC and digest out, for a firmware whose `verify` or boot loader has read all bytes already. Sizes, layout and
 * version are checked all the same: no pack makes a network read beyond it. */
#ifndef S2S_PACK_CHECKSUMS
#define S2S_PACK_CHECKSUMS 1
#endif

#define S2S_PACK_HEADER 192u   /* bytes of the header */
#define S2S_PACK_SIGNED 128u   /* bytes of it that a signature covers: the digest of the weights is among them */
#define S2S_PACK_SIGNATURE 64u /* bytes of a signature */

/* Whether `signature` is one of `message`, by whatever key and library the firmware has. */
typedef bool s2s_pack_verify(void *context, const uint8_t message[S2S_PACK_SIGNED], const uint8_t signature[S2S_PACK_SIGNATURE]);

/* Weights that are bound, or are not yet. All zeros to begin with; `verify`, its context and `least_version` are the
 * caller's to set before. The bytes of the pack have to stay as they are until another one is bound. */
typedef struct s2s_pack {
    const void *weights;     /* null until a pack is bound */
    uint32_t version;        /* of the model of that pack */
    uint32_t least_version;  /* packs of older models are refused */
    s2s_pack_verify *verify; /* refuses packs without a signature, too; null where nobody signs */
    void *context;           /* what `verify` is handed */
} s2s_pack;

/* What a network takes for granted of its pack. */
typedef struct s2s_pack_layout {
    uint8_t hash[32];
    uint32_t size; /* bytes of the weights */
    uint32_t align;
} s2s_pack_layout;

/* Binds the weights of the pack at `address`, of which no more than `size` bytes are read. On an error nothing is bound.
 * Returns S2S_OK, S2S_ERR_NULL, S2S_ERR_ALIGN if the address is not aligned as the weights need it,
 * S2S_ERR_PACK if that is no pack, S2S_ERR_PACK_FORMAT if it is of another format,
 * S2S_ERR_PACK_SIZE if bytes are missing, or its sizes contradict each other or the network,
 * S2S_ERR_PACK_LAYOUT if it was made for another network, or for other code of this one,
 * S2S_ERR_PACK_VERSION if the model is older than `least_version`, S2S_ERR_PACK_DAMAGED if a byte has changed,
 * or S2S_ERR_PACK_SIGNATURE if there is no signature, or `verify` refuses it. */
s2s_status s2s_pack_bind(s2s_pack *pack, const s2s_pack_layout *layout, const void *address, size_t size);

#ifdef __cplusplus
}
#endif
#endif
