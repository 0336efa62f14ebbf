/* Ed25519 by libsodium; the key has 32 bytes. */
#include "verify.h"

#include <sodium.h>

bool verify_signature(void *key, const uint8_t message[S2S_PACK_SIGNED], const uint8_t signature[S2S_PACK_SIGNATURE])
{
    return message[60] == 1u && crypto_sign_verify_detached(signature, message, S2S_PACK_SIGNED, key) == 0;
}
