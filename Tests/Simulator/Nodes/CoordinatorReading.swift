import AMQP
import AuditSupport
import Bookkeeping
import Coordinator
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger

// What comes in.
extension CoordinatorNode {
  func look(for tag: String) {
    switch tag {
    case Topology.Queue.submissions: soon(.intake) { [self] in try takeIn() }
    case Topology.Queue.reports: soon(.reports) { [self] in try recordReports() }
    case Topology.Queue.presence:
      soon(.presence) { [self] in try await hear() }
      freezeBeforeHearing()
    case Topology.Queue.early: soon(.early) { [self] in try recordEarly() }
    case Topology.Queue.requests: soon(.requests) { [self] in try await answer() }
    case Topology.Queue.admin: soon(.admin) { [self] in try await command() }
    default: break
    }
  }

  /// Does something in a moment, once, unless the session has ended by then.
  func soon(_ task: Task, within longest: Int = 600, _ body: @escaping () async throws -> Void) {
    guard scheduled.insert(task).inserted else { return }
    let session = session
    after(world.span(5...longest), "does \(task)") { [self] in
      guard session == self.session else { return }
      scheduled.remove(task)
      do {
        try await body()
      } catch let error as LedgerError {
        if try !hasFailed(error) { world.failures.append("\(name): \(error)") }
      }
    }
  }

  func takeBatch(_ tag: String, atMost limit: Int = 256) -> [(Delivery, World.Line)] {
    guard let waiting = inboxes[tag], !waiting.isEmpty else { return [] }
    inboxes[tag] = Array(waiting.dropFirst(limit))
    if waiting.count > limit { look(for: tag) }
    return Array(waiting.prefix(limit))
  }

  /// Acks a batch, but not before it is recorded and safe: in between the process may die.
  func ackSoon(_ batch: [(Delivery, World.Line)]) throws {
    try whenSafe { [self] in
      let session = session
      after(world.span(1...400), "acks \(batch.count)") { [self] in
        if diesBeforeAck, !batch.isEmpty {
          world.sometimes.note(.crashBetweenRecordAndAck)
          end()
          return world.superviseSoon(self)
        }
        guard session == self.session, let line = batch.first?.1 else { return }
        world.send(.ack(batch.map(\.0.deliveryTag)), on: line)
      }
    }
  }

  func takeIn() throws {
    guard signals.outbox.hasRoom else { return soon(.intake) { [self] in try takeIn() } }
    let batch = takeBatch(Topology.Queue.submissions)
    let submissions = batch.map(\.0).filter { !QueueProbe.isProbe($0) }.flatMap(ReadSubmission.read)
    if !submissions.isEmpty {
      let refusals = try withBooks { try $0.accept(submissions.map(\.incoming)) }
      for refusal in refusals {
        world.trace.say(world.now, name, "refuses: \(refusal.failure)")
        if submissions[refusal.index].incoming.user == "stranger", refusal.failure.code != JobFailure.Code.notAllowed {
          world.failures.append("\(name) tells a stranger of a mistake in what it may not send: \(refusal.failure)")
        }
      }
    }
    try ackSoon(batch)
    follow()
  }

  func recordReports() throws {
    let batch = takeBatch(Topology.Queue.reports)
    var rest = batch.map(\.0).filter { !QueueProbe.isProbe($0) }[...]
    while let portion = Portion(takingFrom: &rest) {
      let paused = try pausedBefore(portion.messages)
      let isBehind = try withBooks { books in
        let messages = books.vetted(portion.messages, from: portion.users)
        if books.isBehind(messages) { return true }
        _ = try books.record(messages)
        return false
      }
      if let paused { try checkPauses(since: paused) }
      note(portion.messages)
      if isBehind { return try endSession("the ledger was rolled back") }
    }
    try ackSoon(batch)
    follow()
  }

  func note(_ messages: [ReportMessage]) {
    for message in messages {
      switch message {
      case .claims: world.sometimes.note(.claimed)
      case .fence: world.sometimes.note(.fenced)
      case .dropped: world.sometimes.note(.dropped)
      case .returned(let unstarted): noteReturned(unstarted.release.job)
      case .report(let report):
        switch report.result {
        case .snoozed: world.sometimes.note(.snoozed)
        case .discarded: world.sometimes.note(.discarded)
        default: break
        }
      default: break
      }
    }
  }

  /// A job does not go in circles: who has given one of its kind back gets none any more.
  private func noteReturned(_ job: JobID) {
    world.sometimes.note(.returned)
    world.returned[job, default: 0] += 1
    if world.returned[job] == World.mostReturns { world.failures.append("workers give \(job) back again and again") }
  }

  func hear() async throws {
    let batch = takeBatch(Topology.Queue.presence)
    let read = PresenceCodec.worthReading(batch.map(\.0))
    let (messages, users) = (read.map(PresenceCodec.decode), read.map(\.properties.userID))
    let before = try await silences(of: ofEarlierConnections(in: messages))
    let isBehind = try withBooks { books in
      let news = books.vetted(messages, from: users)
      if books.isBehind(news) { return true }
      if messages.contains(.pulse) { books.board.renew(HealthPart.hearing, at: books.monotonic) }
      if !news.isEmpty { try books.hear(news, at: books.monotonic) }
      return false
    }
    for case .presence(let presence) in messages {
      world.sometimes.note(.probed, if: presence.probe > 0)
      world.sometimes.note(.ahead, if: !presence.waiting.isEmpty)
    }
    if isBehind { return try endSession("the ledger was rolled back") }
    try await checkSilences(since: before)
    try await checkProgress(in: messages)
    try ackSoon(batch)
    follow()
  }

  func recordEarly() throws {
    let batch = takeBatch(Topology.Queue.early, atMost: 64)
    let allowed = batch.map(\.0).filter(EarlyCodec.isAllowed)
    var reports = allowed.filter(EarlyCodec.hasReports)[...]
    if !reports.isEmpty { try failEarly() }
    while let portion = Portion(takingFrom: &reports) {
      try withBooks { try $0.recordEarly(portion.messages, from: portion.users) }
    }
    let submissions = allowed.filter { !EarlyCodec.hasReports($0) }.map { delivery in
      Incoming(SubmissionCodec.decode(delivery, now: clock.wall), from: delivery.properties.userID)
    }
    if !submissions.isEmpty {
      world.sometimes.note(.earlySubmission)
      try withBooks { try $0.acceptEarly(submissions) }
    }
    try ackSoon(batch)
    follow()
  }

  func answer() async throws {
    if let second, !second.isAllSafe {
      return try whenSafe { [self] in soon(.requests) { [self] in try await answer() } }
    }
    for (delivery, line) in takeBatch(Topology.Queue.requests) {
      let questions = Questions(bookkeeper: try books, outbox: signals.outbox)
      let session = session
      let answer = try await questions.answer(to: delivery, broker: isBlocked ? .blocked : .connected)
      guard session == self.session else { return }
      if let answer { transient(answer) }
      world.send(.ack([delivery.deliveryTag]), on: line)
    }
    follow()
  }

  func command() async throws {
    for (delivery, line) in takeBatch(Topology.Queue.admin, atMost: 1) {
      let answer = try await Commands(bookkeeper: try books).answer(to: delivery)
      guard phase == .serving else { return }
      follow()
      let session = session
      try whenSafe { [self] in
        after(world.span(1...400), "answers a command") { [self] in
          guard session == self.session else { return }
          if let answer { transient(answer) }
          world.send(.ack([delivery.deliveryTag]), on: line)
        }
      }
    }
  }
}
