/// The exit codes of `teller`. Stable: scripts depend on them.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  case jobFailed = 1
  case rejected = 2
  case notReady = 3
  case usage = 64
  case unknownJob = 66
  case keyUnused = 67
  case brokerUnavailable = 69
  case internalError = 70
  case noResources = 71
  case ledger = 74
  case noCoordinator = 75
  case notYetAccepted = 76
  case configuration = 78
  case timedOut = 124
  case interrupted = 130

  /// The code's line in the help.
  var meaning: String {
    switch self {
    case .success: "everything was done"
    case .jobFailed: "a job failed or was cancelled (wait, --wait, outcome, --result)"
    case .rejected: "a job, a batch line or a command was refused or not confirmed"
    case .notReady: "a process is not ready (health), or something is wrong (doctor)"
    case .usage: "wrong arguments; or nobody to ask: no terminal and no --yes"
    case .unknownJob: "no such job, department, worker, operation or message is known"
    case .keyUnused: "nobody has used the key, or it was reset (outcome)"
    case .brokerUnavailable: "the broker cannot be reached, or refuses access"
    case .internalError: "something that should not happen"
    case .noResources: "the process has too few threads or file descriptors"
    case .ledger: "the ledger cannot be used or copied, or the answer not written"
    case .noCoordinator: "no coordinator answers, or it is too busy: try again later"
    case .notYetAccepted: "submissions are safe, and not yet accepted by a coordinator"
    case .configuration: "the configuration is wrong"
    case .timedOut: "the time limit has passed"
    case .interrupted: "interrupted by Ctrl-C (coordinator and submit: by SIGTERM, too)"
    }
  }

  /// All codes, one a line.
  static var help: String {
    let lines = allCases.map { status in
      let code = String(status.rawValue)
      return String(repeating: " ", count: 5 - code.count) + "\(code)  \(status.meaning)"
    }
    return "EXIT CODES:\n" + lines.joined(separator: "\n")
  }
}
