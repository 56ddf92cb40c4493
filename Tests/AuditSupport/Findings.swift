package import JobModel

/// What is there after healing and draining.
package struct Findings: Sendable {
  package var ledger = LedgerFindings()
  /// Every run of a job that left a trace, in order.
  package var runs: [Run] = []
  /// How often each job's outcome is in the notification stream, under different numbers.
  package var announced: [JobID: Int] = [:]
  /// How many messages are in each queue that ends empty.
  package var queues: [String: Int] = [:]
  package var processes: [ProcessFindings] = []
  /// Who ended although nobody had ended them.
  package var endedByThemselves: [String] = []
  /// The most jobs that a department was seen to have released and unfinished, and its window with its reserves.
  package var released: [String: (most: Int, cap: Int)] = [:]
  /// From healing to the first new success; nil when none came in time.
  package var recovery: Duration?

  package init(
    ledger: LedgerFindings = LedgerFindings(), runs: [Run] = [], announced: [JobID: Int] = [:],
    queues: [String: Int] = [:], processes: [ProcessFindings] = [], endedByThemselves: [String] = [],
    released: [String: (most: Int, cap: Int)] = [:], recovery: Duration? = nil
  ) {
    self.ledger = ledger
    self.runs = runs
    self.announced = announced
    self.queues = queues
    self.processes = processes
    self.endedByThemselves = endedByThemselves
    self.released = released
    self.recovery = recovery
  }
}

package struct LedgerFindings: Sendable {
  /// A job's row.
  package struct Job: Hashable, Sendable {
    /// The number of its state in the ledger.
    package var state: Int
    package var attempt: Int
    package var hasEnd: Bool
    /// How many notifications of an outcome it has.
    package var notifications: Int
    /// When its last run ended, as far as the clocks agree; no later than that was recorded.
    package var ended: Moment?
    /// The number of the event that tells its outcome; nil: there is none.
    package var outcomeEvent: Int64?
    package var key: String?
    /// The failed job that it repeats.
    package var againOf: JobID?
    package var errorCode: String?
    /// At how many deaths of workers it is said to have been running.
    package var deaths = 0
    package var department = ""
    package var kind = ""
    /// Somebody has looked after its failure, or nobody need.
    package var isSettled = false
    /// Its turn in an ordered department: the number of its plan, or its own, and its rank.
    package var order: Order?
    /// The plan that it is a step of, and the step's name; round 0 acts on an event.
    package var plan: JobID?
    package var step: String?
    package var round: Int?
    /// Its attempts that did not end it, and how each ended: `failed`, `interrupted`, or `lost` (no worker said that it had begun).
    package var attempts: [Int: String] = [:]

    package init(
      state: Int, attempt: Int, hasEnd: Bool, notifications: Int, ended: Moment? = nil, key: String? = nil,
      againOf: JobID? = nil, errorCode: String? = nil, deaths: Int = 0, attempts: [Int: String] = [:]
    ) {
      self.state = state
      self.attempt = attempt
      self.hasEnd = hasEnd
      self.notifications = notifications
      self.ended = ended
      self.key = key
      self.againOf = againOf
      self.errorCode = errorCode
      self.deaths = deaths
      self.attempts = attempts
    }
  }

  /// A turn in an ordered department.
  package struct Order: Hashable, Sendable {
    package var plan: Int
    package var rank: Int

    package init(plan: Int, rank: Int) { (self.plan, self.rank) = (plan, rank) }
  }

  /// What SQLite's own check says; `ok` when nothing is wrong.
  package var integrity: [String] = ["ok"]
  /// Rows that refer to rows which are not there.
  package var danglingRows = 0
  package var jobs: [JobID: Job] = [:]
  /// The numbers of the states of the plans that have ended.
  package var plans: [JobID: Int] = [:]
  /// The first and the last number of a notification, and how many there are.
  package var sequence: (first: Int, last: Int, count: Int) = (1, 0, 0)

  package init(
    integrity: [String] = ["ok"], danglingRows: Int = 0, jobs: [JobID: Job] = [:],
    sequence: (first: Int, last: Int, count: Int) = (1, 0, 0)
  ) {
    self.integrity = integrity
    self.danglingRows = danglingRows
    self.jobs = jobs
    self.sequence = sequence
  }
}

/// One run of a job, as its handler has traced it.
package struct Run: Hashable, Sendable {
  package enum End: String, Hashable, Sendable {
    case succeeded = "ended"
    case failed
    /// It is to run again, and no attempt is used up.
    case snoozed
  }

  package var job: JobID
  package var attempt: Int
  package var pid: Int32
  package var began: Moment
  /// Nil when it came to no end: its process was killed before, or it was cancelled.
  package var ended: Moment?
  package var end: End?
  /// The job's turn in an ordered department when it began; nil: nobody has looked.
  package var order: LedgerFindings.Order?

  package init(job: JobID, attempt: Int, pid: Int32, began: Moment, ended: Moment? = nil, end: End? = nil) {
    self.job = job
    self.attempt = attempt
    self.pid = pid
    self.began = began
    self.ended = ended
    self.end = end
  }
}

extension Run {
  /// The runs of which these are the traces: `JOB ATTEMPT PID began|ended|failed TIME`.
  package static func runs(of traces: [[String]]) -> [Run] {
    var runs: [Run] = []
    var last: [Trace: Int] = [:]
    for words in traces {
      guard words.count == 5, let trace = Trace(words), let time = Int64(words[4]) else { continue }
      if words[3] == "began" {
        last[trace] = runs.count
        runs.append(
          Run(job: trace.job, attempt: trace.attempt, pid: trace.pid, began: Moment(nanoseconds: time)))
      } else if let number = last[trace] {
        runs[number].ended = Moment(nanoseconds: time)
        runs[number].end = End(rawValue: words[3])
      }
    }
    return runs
  }

  private struct Trace: Hashable {
    var job: JobID
    var attempt: Int
    var pid: Int32

    init?(_ words: [String]) {
      guard let job = JobID(words[0]), let attempt = Int(words[1]), let pid = Int32(words[2]) else { return nil }
      (self.job, self.attempt, self.pid) = (job, attempt, pid)
    }
  }
}

/// What is known of one process.
package struct ProcessFindings: Sendable {
  package var name: String
  /// Nil while it runs; 128 + N when signal N ended it.
  package var status: Int32?
  /// In bytes; nil when it has ended.
  package var peakMemory: Int?
  package var descriptors: Int?
  /// Lines in which a secret stands.
  package var leaks = 0

  package init(name: String, status: Int32? = nil, peakMemory: Int? = nil, descriptors: Int? = nil, leaks: Int = 0) {
    self.name = name
    self.status = status
    self.peakMemory = peakMemory
    self.descriptors = descriptors
    self.leaks = leaks
  }
}

/// How a system came back.
package struct Recovery: Sendable {
  /// When everybody was there again.
  package var healed: Moment
  /// From there to the first new success; nil when none came in time.
  package var time: Duration?

  package init(healed: Moment, time: Duration? = nil) {
    self.healed = healed
    self.time = time
  }
}
