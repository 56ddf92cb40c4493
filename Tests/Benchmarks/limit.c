/* The limit: what the broker lets through when nothing else is done. Messages take the way of a job, through three
 * queues of the same kinds (quorum, classic with priorities, quorum) and four processes, each as bare as librabbitmq
 * allows: persistent messages, confirms counted as a set, a delivery acked only after what became of it is confirmed.
 *
 *   limit declare                   declares the three queues anew
 *   limit produce COUNT BYTES       publishes to the first queue, and waits for the confirms
 *   limit forward FROM TO COUNT     moves messages from one queue (0, 1, 2) to another
 *   limit consume COUNT             takes from the last queue
 *   limit alone COUNT BYTES         publishes to the first queue when what it published before has come out of the last
 *
 * The broker's URL is in TELLER_BROKER_URL. Each prints the monotonic time in ns when it began and when it ended, `alone`
 * first the median and the 99th percentile of how long a message took; any failure ends it with a line on stderr and status
 * 1.
 */
#include <amqp.h>
#include <amqp_tcp_socket.h>
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

static const char *const QUEUES[] = {"limit.submissions", "limit.work", "limit.reports"};

typedef struct {
  amqp_connection_state_t connection;
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

static amqp_table_entry_t text(const char *name, const char *value) {
  amqp_table_entry_t entry = {.key = amqp_cstring_bytes(name), .value.kind = AMQP_FIELD_KIND_UTF8};
  entry.value.value.bytes = amqp_cstring_bytes(value);
  return entry;
}

static amqp_table_entry_t integer(const char *name, int64_t value) {
  amqp_table_entry_t entry = {.key = amqp_cstring_bytes(name), .value.kind = AMQP_FIELD_KIND_I64};
  entry.value.value.i64 = value;
  return entry;
}

static amqp_table_entry_t flag(const char *name) {
  amqp_table_entry_t entry = {.key = amqp_cstring_bytes(name), .value.kind = AMQP_FIELD_KIND_BOOLEAN};
  entry.value.value.boolean = 1;
  return entry;
}

static void declare_queue(link_t *link, int index, amqp_table_entry_t *entries, int count) {
  amqp_table_t arguments = {.num_entries = count, .entries = entries};
  amqp_bytes_t name = amqp_cstring_bytes(QUEUES[index]);
  amqp_queue_delete(link->connection, CHANNEL, name, 0, 0);
  must_reply(link->connection, "delete");
  amqp_queue_declare(link->connection, CHANNEL, name, 0, 1, 0, 0, arguments);
  must_reply(link->connection, "declare");
}

/* The arguments are those of Teller's queues: Sources/JobTransport/Topology.swift. */
static void declare(link_t *link) {
  amqp_table_entry_t submissions[] = {
      text("x-queue-type", "quorum"), integer("x-delivery-limit", 1000000), text("x-overflow", "reject-publish"),
      integer("x-max-length", 200000), integer("x-max-length-bytes", 512 << 20), flag("x-single-active-consumer")};
  amqp_table_entry_t work[] = {text("x-queue-type", "classic"), integer("x-max-priority", 9)};
  amqp_table_entry_t reports[] = {
      text("x-queue-type", "quorum"), integer("x-delivery-limit", 1000000), flag("x-single-active-consumer")};
  declare_queue(link, 0, submissions, 6);
  declare_queue(link, 1, work, 2);
  declare_queue(link, 2, reports, 3);
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

static const struct timeval AT_ONCE = {0, 0}, PATIENT = {60, 0};

/* Reads what is there, and waits for it if there is nothing. */
static int read_next(link_t *link, void (*before_waiting)(link_t *)) {
  int status = read_frame(link, AT_ONCE);
  if (status >= 0) return status;
  before_waiting(link);
  amqp_maybe_release_buffers(link->connection);
  status = read_frame(link, PATIENT);
  if (status < 0) fail("nothing came for 60 s");
  return status;
}

static void ack_settled(link_t *link) { ack_up_to(link, link->settled); }
static void ack_delivered(link_t *link) { ack_up_to(link, link->delivered); }
static void nothing(link_t *link) { (void)link; }

static void produce(link_t *link, uint64_t count, size_t size) {
  if (size > BODY_LIMIT) fail("BYTES is at most %d", BODY_LIMIT);
  memset(link->body, 'x', size);
  while (link->settled < count) {
    while (link->published < count && link->published - link->settled < WINDOW - 1)
      publish(link, QUEUES[0], link->body, size);
    read_next(link, nothing);
    while (read_frame(link, AT_ONCE) >= 0) continue;
  }
}

static void forward(link_t *link, const char *to, uint64_t count) {
  while (link->settled < count) {
    if (read_next(link, ack_settled) != 1) continue;
    link->delivered++;
    publish(link, to, link->body, link->body_size);
    if (link->settled - link->acked >= ACK_EVERY) ack_settled(link);
    amqp_maybe_release_buffers(link->connection);
  }
  ack_settled(link);
}

static void consume(link_t *link, uint64_t count) {
  while (link->delivered < count) {
    if (read_next(link, ack_delivered) != 1) continue;
    link->delivered++;
    if (link->delivered - link->acked >= ACK_EVERY) ack_delivered(link);
    amqp_maybe_release_buffers(link->connection);
  }
  ack_delivered(link);
}

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static void alone(link_t *link, uint64_t count, size_t size) {
  if (size > BODY_LIMIT) fail("BYTES is at most %d", BODY_LIMIT);
  uint64_t *took = calloc(count, sizeof *took);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t began = now();
    memset(link->body, 'x', size);
    publish(link, QUEUES[0], link->body, size);
    while (read_next(link, nothing) != 1) continue;
    took[i] = now() - began;
    ack_up_to(link, ++link->delivered);
    amqp_maybe_release_buffers(link->connection);
  }
  qsort(took, count, sizeof *took, compare);
  printf("%llu %llu ", (unsigned long long)took[count / 2], (unsigned long long)took[count * 99 / 100]);
  free(took);
}

static uint64_t number(const char *text, const char *what) {
  char *end;
  unsigned long long value = strtoull(text, &end, 10);
  if (*text == '\0' || *end != '\0') fail("%s: %s is no number", what, text);
  return value;
}

static const char *queue(const char *text) {
  uint64_t index = number(text, "queue");
  if (index > 2) fail("there are the queues 0, 1 and 2");
  return QUEUES[index];
}

int main(int count, char **arguments) {
  const char *role = count > 1 ? arguments[1] : "";
  link_t *link = dial();
  uint64_t began = now();
  if (strcmp(role, "declare") == 0 && count == 2) {
    declare(link);
  } else if (strcmp(role, "produce") == 0 && count == 4) {
    begin_confirms(link);
    produce(link, number(arguments[2], "COUNT"), number(arguments[3], "BYTES"));
  } else if (strcmp(role, "forward") == 0 && count == 5) {
    begin_confirms(link);
    begin_consuming(link, queue(arguments[2]));
    forward(link, queue(arguments[3]), number(arguments[4], "COUNT"));
  } else if (strcmp(role, "consume") == 0 && count == 3) {
    begin_consuming(link, QUEUES[2]);
    consume(link, number(arguments[2], "COUNT"));
  } else if (strcmp(role, "alone") == 0 && count == 4) {
    begin_confirms(link);
    begin_consuming(link, QUEUES[2]);
    alone(link, number(arguments[2], "COUNT"), number(arguments[3], "BYTES"));
  } else {
    fail("declare, produce COUNT BYTES, forward FROM TO COUNT, consume COUNT, or alone COUNT BYTES");
  }
  printf("%llu %llu\n", (unsigned long long)began, (unsigned long long)now());
  hang_up(link);
  return 0;
}
