/// What must hold after every fault. The names are what a failure prints.
package enum Invariant: String, CaseIterable, Sendable {
  case outcome = "every accepted job has exactly one final outcome"
  case unknown = "a submission without an answer is there once or not at all"
  case effects = "a success has its effect, and a second one only where its run was cut off before it was recorded"
  case waits = "no job starts before its time, or before what it waits for has succeeded"
  case once = "a key has one job, and a failed job is replayed once"
  case attempts = "an older attempt never overwrites a newer, and no answer is taken back"
  case queues = "queues end empty"
  case ledger = "the ledger is whole and its states hold"
  case notified = "every outcome is announced once"
  case caps = "memory, descriptors and windows stay under their caps"
  case alive = "nothing crashes"
  case secrets = "no secret is in any log"
  case recovered = "it recovers unaided, in time"

  /// The head of its column.
  package var column: String {
    switch self {
    case .outcome: "outcome"
    case .unknown: "unknown"
    case .effects: "effects"
    case .waits: "waits"
    case .once: "once"
    case .attempts: "attempts"
    case .queues: "queues"
    case .ledger: "ledger"
    case .notified: "notified"
    case .caps: "caps"
    case .alive: "alive"
    case .secrets: "secrets"
    case .recovered: "recovered"
    }
  }
}

/// What a fault takes away by its nature, so that an invariant cannot hold in full.
package enum Allowance: Sendable, Hashable {
  /// What the damaged line carried may be parked, and is not its workers' fault.
  case damagedLine
  /// A release may be gone that a worker has asked about, and with it the answer. Whether it was begun nobody knows, since a
  /// report may be gone, too: a death is counted. No attempt is used up, unless it is the only one: then the job is `lost`.
  case lostMessages
}

/// What the faults of a trial take away: each allowance as often as a fault came that has it.
extension [Allowance] {
  /// The queues that need not end empty: what was damaged is parked, and stays there for people.
  package var queuesLeftAlone: Set<String> { contains(.damagedLine) ? ["teller.rejected"] : [] }
  /// How many deaths of workers may be counted for a job while everybody was well.
  package var deathsOfNobody: Int { count { $0 == .lostMessages } }
}
