/* verify.h: an s2s_pack_verify of some library; its context is the public key. */
#ifndef VERIFY_H
#define VERIFY_H

#include "s2s_pack.h"

s2s_pack_verify verify_signature;

#endif
