#ifndef TELLER_CDIGEST_SHIM_H
#define TELLER_CDIGEST_SHIM_H

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#endif
