#ifndef TELLER_CDIGEST_SHIM_H
#define TELLER_CDIGEST_SHIM_H

#include <openssl/sha.h>

#endif
