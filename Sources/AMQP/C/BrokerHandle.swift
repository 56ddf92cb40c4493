internal import CRabbitMQ
import Foundation

/// The one owner of a connection of the C library. The deinit frees that connection.
// Unchecked: a handle is made on the connection's thread, and given once to the actor whose executor is that thread. It
// never leaves the actor, and a thread that borrows the connection has it alone. The deinit runs when no reference is left,
// so nothing can use the handle at the same time.
final class BrokerHandle: @unchecked Sendable {
  /// The only channel: the library drops frames of other channels in some calls.
  static let channel: amqp_channel_t = 1

  let descriptor: Int32
  /// The interval of heartbeats that both sides have agreed on; zero: no heartbeats.
  let heartbeat: Duration
  /// The largest frame that both sides have agreed on, in bytes.
  let frameMax: Int
  let arena = WireArena()
  /// The user that every message names; `nil`: each message names the user of its own properties.
  let user: String?
  private let state: amqp_connection_state_t
  private let limits: HeaderLimits
  private let watch: SendWatch

  /// Takes over a connection that has logged in: nobody else may use or free `state` from now on. `limits` are those of
  /// the headers of messages that are read. `sendTimeout` is how long one send may be stuck.
  init(state: amqp_connection_state_t, user: String?, limits: HeaderLimits, sendTimeout: Duration) {
    self.state = state
    self.user = user
    self.limits = limits
    descriptor = amqp_get_sockfd(state)
    heartbeat = .seconds(Int(max(0, amqp_get_heartbeat(state))))
    frameMax = Int(amqp_get_frame_max(state))
    watch = SendWatch(descriptor: descriptor, limit: sendTimeout)
  }

  deinit {
    watch.retire()
    _ = amqp_destroy_connection(state)
  }

  /// Whether the library may have a frame without a look at the socket.
  var hasBufferedFrames: Bool { amqp_frames_enqueued(state) != 0 || amqp_data_in_buffer(state) != 0 }

  /// Whether the socket has something: perhaps only a heartbeat, or the end of the connection.
  var hasInput: Bool {
    var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&socket, 1, 0) > 0
  }

  /// Whether a small message can be sent without a wait. Linux says so as long as a third of the socket's buffer is free.
  /// The buffer of a connection over Ethernet begins with 46 KB.
  var hasRoomToSend: Bool {
    var socket = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&socket, 1, 0) > 0 && socket.revents == Int16(POLLOUT)
  }

  /// Reads a frame that has come, and sends a heartbeat if one is due.
  ///
  /// - Parameter use: gets the content of the frame. Not called for a frame without content, such as a heartbeat.
  /// - Returns: whether there was a frame.
  /// - Throws: `.connectionLost` or `.sendTimedOut`, or an error of `use`.
  func readFrame(_ use: (Incoming) throws(AMQPError) -> Void) throws(AMQPError) -> Bool {
    var frame = amqp_frame_t()
    var noTime = timeval()
    let status = amqp_simple_wait_frame_noblock(state, &frame, &noTime)
    if status == AMQP_STATUS_TIMEOUT.rawValue { return false }
    try check(status)
    if let incoming = Incoming(frame, limits: limits) { try use(incoming) }
    // Everything is copied out. Without this call the library's memory grows with every frame.
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

  /// With `true`, sends wait until they fill a packet; with `false`, the rest leaves. The library makes three small sends
  /// for each message, which would otherwise be three packets, each with its own work for the broker.
  func gatherSends(_ gathers: Bool) {
    var value: Int32 = gathers ? 1 : 0
    #if canImport(Darwin)
      let option = TCP_NOPUSH
    #else
      let option = TCP_CORK
    #endif
    // Where the system refuses that, the same bytes leave in more packets.
    _ = setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
  }

  /// Sends a method, then empties the arena, which has the method's texts and tables.
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
