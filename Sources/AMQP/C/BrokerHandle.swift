internal import CRabbitMQ
import Foundation

/// The C library's connection and its one owner: freed once, when this is.
// Unchecked: it is made on the connection's thread, handed once to the actor whose executor is that thread, and never
// leaves it; its deinit runs when no reference is left, so nothing can use it at the same time.
final class BrokerHandle: @unchecked Sendable {
  /// The only channel: the library drops frames of other channels in some calls.
  static let channel: amqp_channel_t = 1

  let descriptor: Int32
  /// How often each side sends a heartbeat, as agreed with the broker; zero: never.
  let heartbeat: Duration
  let arena = WireArena()
  /// Who has logged in, as every message says; nil: each message says what its properties do.
  let user: String?
  private let state: amqp_connection_state_t
  private let limits: HeaderLimits
  private let watch: SendWatch

  /// Takes over a connection that has logged in.
  init(state: amqp_connection_state_t, options: ConnectionOptions, user: String) {
    self.state = state
    self.user = options.namesUser ? user : nil
    descriptor = amqp_get_sockfd(state)
    heartbeat = .seconds(Int(max(0, amqp_get_heartbeat(state))))
    limits = HeaderLimits(options)
    watch = SendWatch(descriptor: descriptor, limit: options.sendTimeout)
  }

  deinit {
    watch.retire()
    _ = amqp_destroy_connection(state)
  }

  /// Whether a frame can be read without anything coming from the socket.
  var hasBufferedFrames: Bool { amqp_frames_enqueued(state) != 0 || amqp_data_in_buffer(state) != 0 }

  /// Whether something has come to the socket, even if only a heartbeat, or the end of the connection.
  var hasInput: Bool {
    var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&socket, 1, 0) > 0
  }

  /// Reads a frame that has already arrived, and sends a heartbeat if one is due.
  ///
  /// - Returns: whether there was a frame. `handle` got it, unless it says nothing.
  func readFrame(_ handle: (Incoming) throws(AMQPError) -> Void) throws(AMQPError) -> Bool {
    var frame = amqp_frame_t()
    var noTime = timeval()
    let status = amqp_simple_wait_frame_noblock(state, &frame, &noTime)
    if status == AMQP_STATUS_TIMEOUT.rawValue { return false }
    try check(status)
    if let incoming = Incoming(frame, limits: limits) { try handle(incoming) }
    // Everything is copied out. Without this the library's memory grows with every frame.
    amqp_maybe_release_buffers(state)
    return true
  }

  func publish(_ message: Publishing, isTransient: Bool) throws(AMQPError) {
    defer { arena.recycle() }
    var properties = try amqp_basic_properties_t(
      message.properties, isTransient: isTransient, user: user ?? message.properties.userID, arena: arena)
    let exchange = try arena.text(message.exchange)
    let routingKey = try arena.text(message.routingKey)
    let status = watch.sending {
      message.body.withUnsafeBytes { body in
        amqp_basic_publish(
          state, Self.channel, exchange, routingKey, isTransient ? 0 : 1, 0, &properties,
          amqp_bytes_t(len: body.count, bytes: UnsafeMutableRawPointer(mutating: body.baseAddress)))
      }
    }
    try check(status)
  }

  /// While it gathers, what is sent leaves in full packets; what is left leaves when it ends. Three small sends for each
  /// message would otherwise be three packets, each with its own work for the broker.
  func gatherSends(_ gathers: Bool) {
    var value: Int32 = gathers ? 1 : 0
    #if canImport(Darwin)
      let option = TCP_NOPUSH
    #else
      let option = TCP_CORK
    #endif
    // Where it is refused, the same goes out in more packets.
    _ = setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
  }

  /// Sends a method whose texts and tables are in the arena, then empties the arena.
  func send<Method: BitwiseCopyable>(
    _ id: amqp_method_number_t, _ method: Method, channel: amqp_channel_t = BrokerHandle.channel
  ) throws(AMQPError) {
    defer { arena.recycle() }
    var method = method
    try check(watch.sending { amqp_send_method(state, channel, id, &method) })
  }

  private func check(_ status: Int32) throws(AMQPError) {
    if status == AMQP_STATUS_OK.rawValue { return }
    if watch.hasTripped { throw .sendTimedOut }
    throw .connectionLost(reason: describe(libraryStatus: status))
  }
}

/// What a status of the C library means for people.
func describe(libraryStatus status: Int32) -> String {
  switch status {
  case AMQP_STATUS_HEARTBEAT_TIMEOUT.rawValue: "the broker sent nothing for two heartbeats"
  case AMQP_STATUS_CONNECTION_CLOSED.rawValue, AMQP_STATUS_SOCKET_CLOSED.rawValue: "the broker closed the socket"
  case AMQP_STATUS_SOCKET_ERROR.rawValue: "the socket failed"
  case AMQP_STATUS_TIMEOUT.rawValue: "no answer in time"
  case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue: "the host's name is not known"
  default: amqp_error_string2(status).map { String(cString: $0) } ?? "status \(status)"
  }
}
