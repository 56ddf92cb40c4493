#ifndef TELLER_CRABBITMQ_SHIM_H
#define TELLER_CRABBITMQ_SHIM_H

// librabbitmq 0.12 moved its headers into a folder of its own and kept the old names for a while.
#if defined(__has_include) && __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif

// Why: the library's login takes the credentials as variadic arguments, and Swift cannot call variadic C functions.
static inline amqp_rpc_reply_t teller_login_plain(
    amqp_connection_state_t state, char const *vhost, int frame_max, int heartbeat,
    amqp_table_t const *client_properties, char const *user, char const *password) {
  return amqp_login_with_properties(
      state, vhost, 1 /* only channel 1 is used */, frame_max, heartbeat, client_properties,
      AMQP_SASL_METHOD_PLAIN, user, password);
}

#endif
