import JobModel

/// What is there after healing and draining.
struct Findings: Sendable {
  var ledger = LedgerFindings()
  /// Every run of a job that left a trace, in order.
  var runs: [Run] = []
  /// How often each job's outcome is in the notification stream, under different numbers.
  var announced: [JobID: Int] = [:]
  /// How many messages are in each queue that ends empty.
  var queues: [String: Int] = [:]
  var processes: [ProcessFindings] = []
  /// Who ended although nobody had ended them.
  var endedByThemselves: [String] = []
  /// The most jobs that a department was seen to have released and unfinished, and its window with its reserves.
  var released: [String: (most: Int, cap: Int)] = [:]
  /// From healing to the first new success; nil when none came in time.
  var recovery: Duration?
}

struct LedgerFindings: Sendable {
  /// A job's row.
  struct Job: Hashable, Sendable {
    /// The number of its state in the ledger.
    var state: Int
    var attempt: Int
    var hasEnd: Bool
    /// How many notifications of an outcome it has.
    var notifications: Int
    /// When its last run ended, as far as the clocks agree; no later than that was recorded.
    var ended: Moment?
    var key: String?
    /// The failed job that it repeats.
    var againOf: JobID?
    var errorCode: String?
    /// At how many deaths of workers it is said to have been running.
    var deaths = 0
    /// Its attempts that did not end it, and how each ended: `failed`, `interrupted`, or `lost` (no worker said that it had begun).
    var attempts: [Int: String] = [:]
  }

  /// What SQLite's own check says; `ok` when nothing is wrong.
  var integrity: [String] = ["ok"]
  /// Rows that refer to rows which are not there.
  var danglingRows = 0
  var jobs: [JobID: Job] = [:]
  /// The first and the last number of a notification, and how many there are.
  var sequence: (first: Int, last: Int, count: Int) = (1, 0, 0)
}

/// One run of a job, as its handler has traced it.
struct Run: Hashable, Sendable {
  enum End: String, Hashable, Sendable {
    case succeeded = "ended"
    case failed
  }

  var job: JobID
  var attempt: Int
  var pid: Int32
  var began: Moment
  /// Nil when it came to no end: its process was killed before, or it was cancelled.
  var ended: Moment?
  var end: End?
}

extension Run {
  /// The runs of which these are the traces: `JOB ATTEMPT PID began|ended|failed TIME`.
  static func runs(of traces: [[String]]) -> [Run] {
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
struct ProcessFindings: Sendable {
  var name: String
  /// Nil while it runs; 128 + N when signal N ended it.
  var status: Int32?
  /// In bytes; nil when it has ended.
  var peakMemory: Int?
  var descriptors: Int?
  /// Lines in which a secret stands.
  var leaks = 0
}

/// How a system came back.
struct Recovery: Sendable {
  /// When everybody was there again.
  var healed: Moment
  /// From there to the first new success; nil when none came in time.
  var time: Duration?
}
