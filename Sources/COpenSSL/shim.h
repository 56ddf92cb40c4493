#ifndef TELLER_COPENSSL_SHIM_H
#define TELLER_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Why all of these: in the library they are macros, which Swift does not see.

static inline int teller_ssl_require_tls12(SSL_CTX *context) {
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

// Reads no more from the socket than the record it is at: what waits is then in the socket, where `poll` sees it.
static inline void teller_ssl_read_single_records(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 0); }

static inline void teller_ssl_refuse_renegotiation(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

static inline int teller_ssl_reason(unsigned long error) { return ERR_GET_REASON(error); }
static inline int teller_ssl_library(unsigned long error) { return ERR_GET_LIB(error); }

#endif
