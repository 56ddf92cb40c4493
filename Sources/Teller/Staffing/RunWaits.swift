/// The waits of one handler for other jobs. It may wait for several at once: its teller is lent until the last of them has
/// ended.
struct RunWaits: Sendable {
  var count = 0
  /// Ends every wait: the worker drains.
  let interruption = OneShot<Void>()
  /// The handler has its teller again; nil: nobody waits for that.
  var teller: OneShot<Void>?
}
