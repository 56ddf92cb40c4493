/* A connection to the broker, as bare as librabbitmq allows: publishes are counted and their confirms kept as a set, and
 * deliveries are read one at a time. Any failure ends the process with a line on stderr and status 1. */
#pragma once
#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CHANNEL = 1,
  WINDOW = 2048,      /* unconfirmed at most; a power of two */
  PREFETCH = 1024,    /* of a process that forwards or consumes: less than WINDOW */
  BODY_LIMIT = 1 << 20,
  FRAME_MAX = 131072,
  HEARTBEAT = 60,
  ACK_EVERY = 64,     /* deliveries, when nothing is forwarded */
};

typedef struct {
  amqp_connection_state_t connection;
  int is_corked;            /* what is sent leaves with what follows it, until `flush` */
  uint64_t published;       /* the number of the last publish; also that of its delivery where one is forwarded */
  uint64_t settled;         /* all publishes up to this number are confirmed */
  unsigned char confirmed[WINDOW];
  uint64_t delivered;
  uint64_t acked;
  size_t body_size;         /* of the delivery that is being read */
  size_t body_read;
  char *body;
} link_t;

static _Noreturn void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("limit: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void must(int status, const char *what) {
  if (status < 0) fail("%s: %s", what, amqp_error_string2(status));
}

static void must_reply(amqp_connection_state_t connection, const char *what) {
  amqp_rpc_reply_t reply = amqp_get_rpc_reply(connection);
  if (reply.reply_type == AMQP_RESPONSE_NORMAL) return;
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION)
    fail("%s: %s", what, amqp_error_string2(reply.library_error));
  fail("%s: the broker refuses", what);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static link_t *dial(void) {
  const char *url = getenv("TELLER_BROKER_URL");
  if (url == NULL) fail("TELLER_BROKER_URL is not set");
  char *text = strdup(url);
  struct amqp_connection_info info;
  amqp_default_connection_info(&info);
  must(amqp_parse_url(text, &info), "TELLER_BROKER_URL");
  link_t *link = calloc(1, sizeof *link);
  link->body = malloc(BODY_LIMIT);
  link->connection = amqp_new_connection();
  must(amqp_socket_open(amqp_tcp_socket_new(link->connection), info.host, info.port), "connect");
  amqp_rpc_reply_t reply = amqp_login(link->connection, info.vhost, 0, FRAME_MAX, HEARTBEAT, AMQP_SASL_METHOD_PLAIN,
                                      info.user, info.password);
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail("the broker refuses the login");
  amqp_channel_open(link->connection, CHANNEL);
  must_reply(link->connection, "channel");
  free(text);
  return link;
}

static void hang_up(link_t *link) {
  amqp_connection_close(link->connection, AMQP_REPLY_SUCCESS);
  amqp_destroy_connection(link->connection);
  free(link->body);
  free(link);
}

/* What is corked leaves now. */
static void flush(link_t *link) {
  if (!link->is_corked) return;
  int off = 0, on = 1, socket = amqp_get_sockfd(link->connection);
  if (setsockopt(socket, IPPROTO_TCP, TCP_CORK, &off, sizeof off) != 0 ||
      setsockopt(socket, IPPROTO_TCP, TCP_CORK, &on, sizeof on) != 0)
    fail("the socket cannot be corked");
}

static void begin_confirms(link_t *link) {
  amqp_confirm_select(link->connection, CHANNEL);
  must_reply(link->connection, "confirms");
}

static void begin_consuming(link_t *link, const char *queue) {
  amqp_basic_qos(link->connection, CHANNEL, 0, PREFETCH, 0);
  must_reply(link->connection, "qos");
  amqp_basic_consume(link->connection, CHANNEL, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
  must_reply(link->connection, "consume");
}

static void publish(link_t *link, const char *queue, const char *body, size_t size) {
  amqp_basic_properties_t properties = {
      ._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_PRIORITY_FLAG, .delivery_mode = 2, .priority = 4};
  amqp_bytes_t bytes = {.len = size, .bytes = (void *)body};
  must(amqp_basic_publish(link->connection, CHANNEL, amqp_empty_bytes, amqp_cstring_bytes(queue), 0, 0, &properties,
                          bytes),
       "publish");
  link->confirmed[++link->published % WINDOW] = 0;
}

/* Confirms come in any order: what is settled ends before the first that is missing. */
static void settle(link_t *link, const amqp_basic_ack_t *ack) {
  uint64_t first = ack->multiple ? link->settled + 1 : ack->delivery_tag;
  for (uint64_t tag = first; tag <= ack->delivery_tag; tag++) link->confirmed[tag % WINDOW] = 1;
  while (link->settled < link->published && link->confirmed[(link->settled + 1) % WINDOW]) link->settled++;
}

static void handle_method(link_t *link, const amqp_method_t *method) {
  switch (method->id) {
  case AMQP_BASIC_ACK_METHOD: settle(link, method->decoded); break;
  case AMQP_BASIC_DELIVER_METHOD: break;
  case AMQP_BASIC_NACK_METHOD: fail("the broker nacks");
  default: fail("unexpected method %s", amqp_method_name(method->id));
  }
}

/* Reads a frame; returns 1 when it ends a delivery, 0 when not, -1 when none came in time. */
static int read_frame(link_t *link, struct timeval limit) {
  amqp_frame_t frame;
  int status = amqp_simple_wait_frame_noblock(link->connection, &frame, &limit);
  if (status == AMQP_STATUS_TIMEOUT) return -1;
  must(status, "read");
  if (frame.frame_type == AMQP_FRAME_METHOD) {
    handle_method(link, &frame.payload.method);
    return 0;
  }
  if (frame.frame_type == AMQP_FRAME_HEADER) {
    link->body_size = frame.payload.properties.body_size;
    link->body_read = 0;
    if (link->body_size > BODY_LIMIT) fail("a body is too large");
    return link->body_size == 0;
  }
  amqp_bytes_t part = frame.payload.body_fragment;
  if (link->body_read + part.len > link->body_size) fail("a body is longer than it says");
  memcpy(link->body + link->body_read, part.bytes, part.len);
  link->body_read += part.len;
  return link->body_read == link->body_size;
}

static void ack_up_to(link_t *link, uint64_t tag) {
  if (tag == link->acked) return;
  must(amqp_basic_ack(link->connection, CHANNEL, tag, 1), "ack");
  link->acked = tag;
}
