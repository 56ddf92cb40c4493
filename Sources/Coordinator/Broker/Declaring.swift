import AMQP
import AsyncAlgorithms
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Declares what lasts, at the beginning of a session; first it has those queues made anew that are on a node of the
/// broker that is down.
///
/// In a broker of several nodes, each queue that is not replicated is on one node: the queues of departments and kinds,
/// presence, requests, admin, rejected. Such a queue comes back with its node, with its messages. Until then it can only
/// be deleted, and declared on another node.
struct Declaring {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let departments: [Department]
  /// The departments that are about to be added. Their queues may be down, too. They are not declared here: the broker may
  /// refuse a new queue, and all other departments are served nevertheless.
  let added: [Department]
  /// The queues beside those of departments.
  let kindQueues: [JobQueue]
  let logger: Logger

  private var connection: Connection { connections.publishing }

  /// How often it looks whether a node is back.
  static let interval: Duration = .seconds(1)
  /// How long the broker may take to say whether it has taken the probes.
  static let probeLimit: Duration = .seconds(10)
  /// How long the broker may take to answer for a queue that has nacked a probe. It answers at once for one that is full.
  static let answerLimit: Duration = .seconds(2)

  /// Finds out which queues are down, and changes nothing.
  func lookForDown() async throws { _ = await bookkeeper.lookAt(down: try await downQueues()) }

  func run() async throws {
    // To declare one whose node is down takes the broker more than a minute; to say that it is down, no time.
    try await untilNoneIsDown()
    try await warnOfMissing()
    try await suspecting { try await Topology.declareAll(on: connection, departments: []) }
    try await declareQueues()
  }

  /// A queue that the broker refuses takes out its department, and no other.
  private func declareQueues() async throws {
    let queues = departments.map { JobQueue($0) } + kindQueues
    switch try await QueueTrials(bookkeeper: bookkeeper, connections: connections).outcome(of: queues) {
    case .notMade(let error, _, _): throw error
    case .refusals(let refusals):
      for (queue, refusal) in refusals { await bookkeeper.refuse(queue.department, because: refusal.brokersWords) }
    }
  }

  /// Does something. If the broker has no answer, a node may be silent that it does not take for dead yet.
  private func suspecting<Value>(_ body: () async throws -> Value) async throws -> Value {
    let began = SessionClock.now
    do {
      return try await body()
    } catch let error as AMQPError where error.mayMeanQueueIsDown {
      await bookkeeper.suspectDownQueues(since: began)
      throw error
    }
  }

  /// Says when a queue is gone that senders rely on: a policy has let it expire, or somebody has deleted it. A ledger that
  /// was never here before, and a queue that has only got a new name, are no reason.
  private func warnOfMissing() async throws {
    guard try await bookkeeper.hasAccepted() else { return }
    let queues = [Topology.Queue.submissions, Topology.Queue.reports]
    let all = queues + Topology.retired.map(\.name)
    let results = try await suspecting {
      try await TimedPublishing(connection: connection, session: session, limit: Declaring.probeLimit).publishInTime(
        all.map { QueueProbe.marker(JobID().description, to: $0) }, as: "confirms of what finds out which queues exist")
    }
    let missing = Set(zip(all, results).filter { if case .returned = $1 { true } else { false } }.map(\.0))
    let gone = queues.filter(missing.contains)
    guard !gone.isEmpty, Topology.retired.allSatisfy({ missing.contains($0.name) }) else { return }
    let text = "a queue is not there any more: a policy with expires, or a person, deleted it and what waited in it"
    bookkeeper.board.warn("queues", "\(text): \(gone.joined(separator: ", "))")
    await bookkeeper.noteMissing(queues: gone)
    logger.error("\(text); or this broker is new", metadata: ["queues": "\(gone.joined(separator: ","))"])
  }

  /// Returns when somebody answers for each queue.
  private func untilNoneIsDown() async throws {
    var told: Set<String> = []
    if try await isNoneDown(&told) { return }
    for await _ in AsyncTimerSequence(interval: Declaring.interval, clock: .continuous) {
      if try await isNoneDown(&told) { return }
    }
    try Task.checkCancellation()
  }

  /// One look at the queues; those whose time is over are made anew. `told`: what has been logged.
  private func isNoneDown(_ told: inout Set<String>) async throws -> Bool {
    let finding = await bookkeeper.lookAt(down: try await downQueues())
    for queue in finding.renewed { try await renew(queue) }
    let news = finding.awaited.filter { told.insert($0).inserted }
    if !news.isEmpty {
      logger.warning(
        "nobody answers for queues, as when their node of the broker is down; waiting for it, for a while",
        metadata: ["queues": "\(news.joined(separator: ","))"])
    }
    return finding.awaited.isEmpty
  }

  /// Those for which nobody answers: the broker nacks the probe. One that it does not know, or not yet again, counts
  /// where another was down: before the first coordinator has run there is none.
  private func downQueues() async throws -> [String] {
    let isSuspected = await bookkeeper.downQueuesSuspectedSince != nil
    let queues = Topology.queuesOfOneNode(departments: departments + added, kindQueues: kindQueues)
    let results = try await suspecting {
      try await TimedPublishing(connection: connection, session: session, limit: Declaring.probeLimit).publishInTime(
        queues.map(QueueProbe.publishing), as: "confirms of what finds out which queues are down")
    }
    // A queue that is about to be added may never have been there.
    let new = Set(added.map { Topology.queue(JobQueue($0)).name })
    let down = zip(queues, results).filter { queue, result in
      Declaring.isDown(result, isSuspected: isSuspected && !new.contains(queue))
    }.map(\.0)
    return await without(full: zip(queues, results).filter { $1 == .nacked }.map(\.0), down)
  }

  /// A queue that is full nacks the probe as one that is down does. But somebody answers for it.
  private func without(full suspects: [String], _ down: [String]) async -> [String] {
    let full = await withTaskGroup(of: String?.self) { group in
      for queue in suspects { group.addTask { await isThere(queue) ? queue : nil } }
      return await group.reduce(into: Set<String>()) { if let queue = $1 { $0.insert(queue) } }
    }
    for department in departments where full.contains(Topology.queue(JobQueue(department)).name) {
      await bookkeeper.refuse(department, because: RefusedWatch.isFull)
    }
    if !full.isEmpty {
      logger.warning("queues take no further message", metadata: ["queues": "\(full.sorted().joined(separator: ","))"])
    }
    return down.filter { !full.contains($0) }
  }

  /// Whether somebody answers for a queue in time, also by a refusal.
  private func isThere(_ queue: String) async -> Bool {
    do throws(AMQPError) {
      let connection = try await connections.openForTrial(limit: Declaring.answerLimit)
      var question = QueueDeclaration(queue)
      question.isPassive = true
      do throws(AMQPError) {
        try await connection.declare(question)
        await connection.close()
        return true
      } catch {
        await connection.close()
        throw error
      }
    } catch {
      return !error.isTransient && !error.mayMeanQueueIsDown
    }
  }

  static func isDown(_ result: PublishResult, isSuspected: Bool) -> Bool {
    switch result {
    case .confirmed: false
    case .nacked: true
    case .refused: false
    case .returned: isSuspected
    }
  }

  /// Has a queue made anew: deleted wherever it is, and declared here. Only what was deleted is released again: where
  /// the broker will not delete it, it comes back with its node and its messages. (A coordinator that dies in between
  /// finds the queue missing, and a lease later that what was in it is lost.)
  private func renew(_ queue: String) async throws {
    do {
      try await connection.delete(queue: queue)
    } catch {
      if error.saysQueueCannotBeDeleted { await tellThatItWaits(for: queue, error) }
      throw error
    }
    let lost = try await bookkeeper.queueIsLost(queue)
    try await Topology.declare(queue, departments: departments + added, kindQueues: kindQueues, on: connection)
    await bookkeeper.renewed(queue)
    if queue == Topology.Queue.rejected {
      logger.error(
        "made anew, because its node is down; what was parked there is lost", metadata: ["queue": "\(queue)"])
    } else {
      logger.warning(
        "made anew, because its node is down", metadata: ["queue": "\(queue)", "released again": "\(lost)"])
    }
  }

  private func tellThatItWaits(for queue: String, _ error: AMQPError) async {
    guard await bookkeeper.couldNotRenew(queue) else { return }
    logger.error(
      """
      a queue is on a node of the broker that is down, and the broker cannot delete it: waiting for that node; start it, \
      or have the broker forget it (rabbitmqctl forget_cluster_node)
      """, metadata: ["queue": "\(queue)", "reason": "\(error)"])
  }
}
