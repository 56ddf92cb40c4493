import DequeModule

/// Publishings on their way. Some wait for room in the window, others for the broker's answer.
///
///     enqueue           next                  answer
///     ───────▶ in line ─────▶ outstanding ─────────────▶ confirmed, nacked or returned
///                              │       ▲
///                              └───────┘ markReturned: the answer will be `returned`
///
/// Messages that may be lost have a line and a window of their own. While the window of the others is full, they overtake:
/// otherwise they would wait until the broker has stored every message that was published before them. Else all messages go
/// in the order of the calls.
///
/// A message that the broker may refuse goes alone: see ``MessageTrials``.
///
/// A pure value. A `Waiter` is told the answers to the messages of one call: as a set, in the order of the messages. The
/// broker answers in any order, one tag or many tags at once. A return comes before the confirm of its message.
struct Confirms<Waiter> {
  /// A message that goes to the socket now.
  struct Outgoing {
    let tag: UInt64
    let message: Publishing
    let isTransient: Bool
    /// The waiter of a transient call, with the last of its messages: it is told once the socket has the message.
    let waiter: Waiter?
  }

  /// A call whose messages are all answered.
  struct Completion {
    let waiter: Waiter
    let results: [PublishResult]
  }

  /// The messages of one call.
  private struct Batch {
    let messages: [Publishing]
    let sizes: [Int]
    let isTransient: Bool
    let waiter: Waiter
    var results: [PublishResult]
    var nextToSend = 0
    var unanswered: Int
  }

  private struct Outstanding {
    /// `nil` for a transient message: nobody waits for its answer.
    let batch: UInt64?
    let index: Int
    let size: Int
    /// The message, if it is on trial.
    let trial: Publishing?
    var isReturned = false
  }

  /// The batches of one kind that wait for room, and the size of the outstanding messages of that kind.
  private struct Line {
    var toSend: Deque<UInt64> = []
    var messages = 0
    var bytes = 0
  }

  private let messageLimit: Int
  private let byteLimit: Int
  private var batches: [UInt64: Batch] = [:]
  private var lastBatch: UInt64 = 0
  private var window = TagWindow<Outstanding>()
  private var lastTag: UInt64 = 0
  private var durable = Line()
  private var transient = Line()
  private var trials: MessageTrials

  /// - Parameters:
  ///   - messageLimit: how many messages of a kind may be outstanding.
  ///   - byteLimit: how many bytes of a kind may be outstanding. A larger message goes when it is the only one.
  ///   - trials: which messages go alone.
  init(messageLimit: Int, byteLimit: Int, trials: MessageTrials = MessageTrials()) {
    self.messageLimit = max(1, messageLimit)
    self.byteLimit = byteLimit
    self.trials = trials
  }

  var outstandingMessages: Int { window.count }
  var outstandingBytes: Int { durable.bytes + transient.bytes }
  /// How many calls have messages that were not sent.
  var waitingCalls: Int { durable.toSend.count + transient.toSend.count }

  /// Whether `next` has a message to send.
  var canSend: Bool { nextBatch != nil }

  /// The batch of the message that goes next.
  private var nextBatch: UInt64? {
    if trials.isUnderWay { return nil }
    let (transient, durable) = (sendable(transient), sendable(durable))
    let first: UInt64?
    if let transient, let durable { first = min(transient, durable) } else { first = transient ?? durable }
    guard let next = first, let batch = batches[next] else { return nil }
    // A message on trial waits until all others are answered, and those behind it wait with it.
    return window.count > 0 && isOnTrial(batch) ? nil : next
  }

  private func isOnTrial(_ batch: Batch) -> Bool { trials.isDue(for: batch.messages[batch.nextToSend].body.count) }

  private func sendable(_ line: Line) -> UInt64? {
    guard let id = line.toSend.first, let batch = batches[id] else { return nil }
    if line.messages == 0 { return id }
    let hasRoom = line.messages < messageLimit && line.bytes + batch.sizes[batch.nextToSend] <= byteLimit
    return hasRoom ? id : nil
  }

  /// The number of the next call.
  var nextNumber: UInt64 { lastBatch + 1 }

  /// Puts the messages of one call, at least one, at the end of their line. `sizes` are the bytes that each counts for.
  /// The waiter of transient messages is told once the socket has them, that of others when all are answered.
  mutating func enqueue(_ messages: [Publishing], sizes: [Int], isTransient: Bool, waiter: Waiter) {
    lastBatch += 1
    batches[lastBatch] = Batch(
      messages: messages, sizes: sizes, isTransient: isTransient, waiter: waiter,
      results: isTransient ? [] : Array(repeating: .confirmed, count: messages.count), unanswered: messages.count)
    let id = lastBatch
    change(isTransient) { $0.toSend.append(id) }
  }

  /// The next message, if there is one and the window has room for it. It is outstanding from now on.
  mutating func next() -> Outgoing? {
    guard let id = nextBatch, let batch = batches[id] else { return nil }
    let index = batch.nextToSend
    lastTag += 1
    let trial = isOnTrial(batch) ? batch.messages[index] : nil
    if trial != nil { trials.begin() }
    window.append(
      Outstanding(batch: batch.isTransient ? nil : id, index: index, size: batch.sizes[index], trial: trial),
      tag: lastTag)
    let isLast = index + 1 == batch.messages.count
    change(batch.isTransient) { line in
      line.messages += 1
      line.bytes += batch.sizes[index]
      if isLast { line.toSend.removeFirst() }
    }
    if !isLast { batches[id]?.nextToSend += 1 }
    if isLast && batch.isTransient { batches[id] = nil }
    return Outgoing(
      tag: lastTag, message: batch.messages[index], isTransient: batch.isTransient,
      waiter: isLast && batch.isTransient ? batch.waiter : nil)
  }

  /// Nobody waits for the answers to a call any more. Its messages that were not sent leave their line. Those that were
  /// keep their places in the window until the broker has answered.
  ///
  /// - Returns: the waiter of the call; nil: it was told already.
  mutating func withdraw(_ number: UInt64) -> Waiter? {
    guard let batch = batches.removeValue(forKey: number) else { return nil }
    change(batch.isTransient) { line in
      if let index = line.toSend.firstIndex(of: number) { line.toSend.remove(at: index) }
    }
    return batch.waiter
  }

  /// The broker acked or nacked a message: the tag, or with `multiple` every tag up to it (tag 0: every tag).
  mutating func answer(_ tag: UInt64, multiple: Bool, isAck: Bool) -> [Completion] {
    var completions: [Completion] = []
    if multiple {
      let limit = tag == 0 ? UInt64.max : tag
      while let (_, outstanding) = window.removeOldest(through: limit) {
        take(outstanding, isAck: isAck, into: &completions)
      }
    } else if let outstanding = window.remove(tag) {
      take(outstanding, isAck: isAck, into: &completions)
    }
    return completions
  }

  /// The broker sent a message back. A return has no tag: it belongs to the oldest outstanding message that looks the
  /// same. Messages that look the same were routed the same.
  mutating func markReturned(_ message: ReturnedMessage, messageID: String?) {
    let match = window.oldest { outstanding in
      guard !outstanding.isReturned, let id = outstanding.batch, let batch = batches[id] else { return false }
      let candidate = batch.messages[outstanding.index]
      return candidate.exchange == message.exchange && candidate.routingKey == message.routingKey
        && candidate.properties.messageID == messageID
    }
    guard var match, let batch = match.element.batch else { return }
    match.element.isReturned = true
    window.replace(match.tag, with: match.element)
    batches[batch]?.results[match.element.index] = .returned(code: message.code, text: message.text)
  }

  /// The broker has closed the channel because of a message. If only one is outstanding, that is the one; what waits
  /// is sent on the next channel, whose tags begin anew.
  ///
  /// - Returns: the calls whose messages are all answered now, and the message if it was a transient one on trial; nil:
  ///   several messages are outstanding, and nothing was done.
  mutating func refuseOnly(code: UInt16, text: String) -> (completions: [Completion], transient: Publishing?)? {
    guard window.count == 1, let (_, outstanding) = window.removeOldest(through: .max) else { return nil }
    (window, lastTag) = (TagWindow(), 0)
    if outstanding.trial != nil { trials.refused() }
    var completions: [Completion] = []
    answer(outstanding, .refused(code: code, text: text), into: &completions)
    return (completions, outstanding.batch == nil ? outstanding.trial : nil)
  }

  /// Forgets everything: the connection has ended.
  ///
  /// - Returns: every waiter that was not told, in the order of the calls.
  mutating func removeAll() -> [Waiter] {
    let waiters = batches.sorted { $0.key < $1.key }.map(\.value.waiter)
    self = Self(messageLimit: messageLimit, byteLimit: byteLimit, trials: trials)
    return waiters
  }

  private mutating func change(_ isTransient: Bool, _ body: (inout Line) -> Void) {
    if isTransient { body(&transient) } else { body(&durable) }
  }

  private mutating func take(_ outstanding: Outstanding, isAck: Bool, into completions: inout [Completion]) {
    if let trial = outstanding.trial { trials.taken(trial.body.count) }
    answer(outstanding, isAck ? nil : .nacked, into: &completions)
  }

  /// `failure`: nil: the broker has it, or has returned it.
  private mutating func answer(
    _ outstanding: Outstanding, _ failure: PublishResult?, into completions: inout [Completion]
  ) {
    change(outstanding.batch == nil) { line in
      line.messages -= 1
      line.bytes -= outstanding.size
    }
    guard let id = outstanding.batch else { return }
    if let failure { batches[id]?.results[outstanding.index] = failure }
    batches[id]?.unanswered -= 1
    guard let batch = batches[id], batch.unanswered == 0 else { return }
    batches[id] = nil
    completions.append(Completion(waiter: batch.waiter, results: batch.results))
  }
}
