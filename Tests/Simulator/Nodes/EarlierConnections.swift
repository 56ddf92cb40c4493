import AuditSupport
import Bookkeeping
import Decisions
import JobModel
import JobTransport

// What a worker said on an earlier connection may come after what it says on the present one.
extension CoordinatorNode {
  /// The workers of which a batch has presences of an earlier connection alone.
  func ofEarlierConnections(in messages: [PresenceMessage]) throws -> Set<WorkerID> {
    // Somebody else may have said it; and what was heard may be forgotten.
    guard !isFailing, !world.hasUsers, !isReconfigured, second == nil, !world.isRolledBack, !world.otherLedgerServed
    else {
      heardConnections = HeardConnections()
      return []
    }
    return heardConnections.note(
      messages, known: try withBooks { $0.awaitedWorkers }, departments: configuration.departments.keys.map(\.name))
  }

  /// For how long each of these has been silent.
  func silences(of workers: Set<WorkerID>) async throws -> [WorkerID: Duration] {
    if workers.isEmpty { return [:] }
    let statuses = try await books.status(broker: .connected, at: try withBooks { $0.monotonic }).workers
    return statuses.reduce(into: [:]) { if workers.contains($1.id) { $0[$1.id] = $1.silence } }
  }

  /// A worker that says something on an earlier connection is as silent as before.
  func checkSilences(since before: [WorkerID: Duration]) async throws {
    if before.isEmpty { return }
    world.sometimes.note(.earlierConnection)
    for (worker, silence) in try await silences(of: Set(before.keys)) where silence != before[worker] {
      world.failures.append("\(name) takes what \(worker) said on an earlier connection for its present word")
    }
  }
}

/// Of each worker the latest connection of which something was heard.
struct HeardConnections {
  private var latest: [WorkerID: Int] = [:]

  /// - Parameters:
  ///   - messages: What is heard at once.
  ///   - known: The workers that are waited for before that.
  ///   - departments: Those that there are: a worker that would serve another one is refused.
  /// - Returns: The workers of which only presences of an earlier connection are among the messages.
  mutating func note(_ messages: [PresenceMessage], known: Set<WorkerID>, departments: [String]) -> Set<WorkerID> {
    var (earlier, present): (Set<WorkerID>, Set<WorkerID>) = ([], [])
    for case .presence(let presence) in messages {
      let worker = presence.worker
      let isNew = !known.contains(worker) && !present.contains(worker)
      let isRefused = !Set(presence.tellers.keys).isSubset(of: departments)
      if isNew || isRefused || presence.isGoodbye { latest[worker] = nil }
      if presence.session < latest[worker] ?? 0 {
        earlier.insert(worker)
      } else {
        if !isRefused, !presence.isGoodbye { latest[worker] = presence.session }
        present.insert(worker)
      }
    }
    return earlier.subtracting(present)
  }
}
