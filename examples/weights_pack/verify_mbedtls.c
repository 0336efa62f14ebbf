/* ECDSA of P-256 by mbedTLS, which has no Ed25519; the key is a point, 65 bytes from 4 on, uncompressed. */
#include "verify.h"

#include <mbedtls/ecdsa.h>
#include <mbedtls/sha256.h>

enum { NUMBER = 32, POINT = 65 };

bool verify_signature(void *key, const uint8_t message[S2S_PACK_SIGNED], const uint8_t signature[S2S_PACK_SIGNATURE])
{
    mbedtls_ecp_group group;
    mbedtls_ecp_point point;
    mbedtls_mpi r, s;
    uint8_t hash[NUMBER];
    bool is_right;

    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&point);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    is_right = message[60] == 2u && mbedtls_sha256_ret(message, S2S_PACK_SIGNED, hash, 0) == 0 &&
               mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) == 0 &&
               mbedtls_ecp_point_read_binary(&group, &point, key, POINT) == 0 &&
               mbedtls_ecp_check_pubkey(&group, &point) == 0 && mbedtls_mpi_read_binary(&r, signature, NUMBER) == 0 &&
               mbedtls_mpi_read_binary(&s, signature + NUMBER, NUMBER) == 0 &&
               mbedtls_ecdsa_verify(&group, hash, NUMBER, &point, &r, &s) == 0;
    mbedtls_mpi_free(&s);
    mbedtls_mpi_free(&r);
    mbedtls_ecp_point_free(&point);
    mbedtls_ecp_group_free(&group);
    return is_right;
}
