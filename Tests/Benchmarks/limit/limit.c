/* The limit: what the broker lets through when nothing else is done. Messages take the way of a job, through three
 * queues of the same kinds (quorum, classic with priorities, quorum) and four processes, each as bare as librabbitmq
 * allows: persistent messages, confirms counted as a set, a delivery acked only after what became of it is confirmed.
 *
 *   limit declare                   declares the three queues anew
 *   limit produce COUNT BYTES       publishes to the first queue, and waits for the confirms
 *   limit forward FROM TO COUNT     moves messages from one queue (0, 1, 2) to another
 *   limit consume COUNT             takes from the last queue
 *   limit alone COUNT BYTES         publishes to the first queue when what it published before has come out of the last
 *   limit answer COUNT              sends answers as the coordinator does, one after the other, from one connection to a
 *                                   queue that another connection has for itself: one hop
 *
 * With --cork before that, what is published at one time leaves in full packets, as Teller's messages do: less work for
 * everybody. librabbitmq does not do so by itself.
 *
 * The broker's URL is in TELLER_BROKER_URL. Each prints the monotonic time in ns when it began and when it ended, `alone`
 * and `answer` first the median and the 99th percentile of how long a message took; any failure ends it with a line on
 * stderr and status 1.
 */
#include "link.h"

static const char *const QUEUES[] = {"limit.submissions", "limit.work", "limit.reports"};
static const char *const ANSWERS = "limit.answers";

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

/* The arguments are those of Teller's queues: Sources/JobTransport/Topology/Topology.swift. */
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

/* As a client declares the queue of its answers: its own, and gone with it. */
static void declare_answers(link_t *link) {
  amqp_queue_declare(link->connection, CHANNEL, amqp_cstring_bytes(ANSWERS), 0, 0, 1, 1, amqp_empty_table);
  must_reply(link->connection, "declare");
}

static const struct timeval AT_ONCE = {0, 0}, PATIENT = {60, 0};

/* Reads what is there, and waits for it if there is nothing. */
static int read_next(link_t *link, void (*before_waiting)(link_t *)) {
  int status = read_frame(link, AT_ONCE);
  if (status >= 0) return status;
  before_waiting(link);
  flush(link);
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
    flush(link);
    read_next(link, nothing);
    while (read_frame(link, AT_ONCE) >= 0) continue;
  }
}

static void forward(link_t *link, const char *to, uint64_t count) {
  while (link->settled < count) {
    if (read_next(link, ack_settled) != 1) continue;
    link->delivered++;
    publish(link, to, link->body, link->body_size);
    if (link->settled - link->acked >= ACK_EVERY) {
      ack_settled(link);
      flush(link);
    }
    amqp_maybe_release_buffers(link->connection);
  }
  ack_settled(link);
}

static void consume(link_t *link, uint64_t count) {
  while (link->delivered < count) {
    if (read_next(link, ack_delivered) != 1) continue;
    link->delivered++;
    if (link->delivered - link->acked >= ACK_EVERY) {
      ack_delivered(link);
      flush(link);
    }
    amqp_maybe_release_buffers(link->connection);
  }
  ack_delivered(link);
}

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static void print_percentiles(uint64_t *took, uint64_t count) {
  qsort(took, count, sizeof *took, compare);
  printf("%llu %llu ", (unsigned long long)took[count / 2], (unsigned long long)took[count * 99 / 100]);
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
  print_percentiles(took, count);
  free(took);
}

/* Its properties are those of Teller's replies: Sources/JobTransport/Submissions/ReplyCodec.swift. */
static void publish_answer(link_t *link) {
  amqp_basic_properties_t properties = {
      ._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_EXPIRATION_FLAG | AMQP_BASIC_TYPE_FLAG |
                AMQP_BASIC_CORRELATION_ID_FLAG,
      .delivery_mode = 1, .expiration = amqp_cstring_bytes("60000"), .type = amqp_cstring_bytes("succeeded"),
      .correlation_id = amqp_cstring_bytes("01890a5d-ac96-774b-bcce-b302099a8057")};
  must(amqp_basic_publish(link->connection, CHANNEL, amqp_empty_bytes, amqp_cstring_bytes(ANSWERS), 0, 0, &properties,
                          amqp_empty_bytes),
       "publish");
  link->confirmed[++link->published % WINDOW] = 0;
}

/* The confirm is awaited after the answer is here, and not measured: nobody waits for it. */
static void answer(link_t *client, uint64_t count) {
  link_t *coordinator = dial();
  begin_confirms(coordinator);
  uint64_t *took = calloc(count, sizeof *took);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t began = now();
    publish_answer(coordinator);
    while (read_next(client, nothing) != 1) continue;
    took[i] = now() - began;
    ack_up_to(client, ++client->delivered);
    while (coordinator->settled < coordinator->published) read_next(coordinator, nothing);
    amqp_maybe_release_buffers(client->connection);
    amqp_maybe_release_buffers(coordinator->connection);
  }
  print_percentiles(took, count);
  free(took);
  hang_up(coordinator);
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
  link_t *link = dial();
  link->is_corked = count > 1 && strcmp(arguments[1], "--cork") == 0;
  count -= link->is_corked;
  arguments += link->is_corked;
  const char *role = count > 1 ? arguments[1] : "";
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
  } else if (strcmp(role, "answer") == 0 && count == 3) {
    declare_answers(link);
    begin_consuming(link, ANSWERS);
    answer(link, number(arguments[2], "COUNT"));
  } else {
    fail("declare, produce COUNT BYTES, forward FROM TO COUNT, consume COUNT, alone COUNT BYTES, or answer COUNT");
  }
  printf("%llu %llu\n", (unsigned long long)began, (unsigned long long)now());
  hang_up(link);
  return 0;
}
