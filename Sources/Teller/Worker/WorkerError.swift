public import JobModel

/// Why a worker does not run, or has ended. Each case says who must act.
public enum WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The worker has no department. Name at least one, with its number of tellers.
  case noDepartments
  /// A department has fewer than one teller, or more than ``mostTellers``. Correct the number.
  case tellersOutOfRange(Department, Int)
  /// The departments together have more than ``mostTellers``. Correct the numbers, or start more workers.
  case tooManyTellers(Int)
  /// No handler is registered. Register a handler for each kind of job before `run()`.
  case noHandlers
  /// Handlers are registered for so many kinds, more than ``mostHandlers``. Share them out among several workers.
  case tooManyHandlers(Int)
  /// More than one handler is registered for each of these kinds. Keep one.
  case registeredTwice([JobKind])
  /// `run()` was called before. A worker runs once: make a new one.
  case alreadyRun
  /// The coordinator has no such departments. Correct the names, or add them to the coordinator's `teller.yaml`.
  case unknownDepartments([String])
  /// The coordinator's `users:` does not let the broker's user serve these departments. Correct `users:` in its
  /// `teller.yaml`, or connect as another user. The text names the user and the rule.
  case notAllowed(String)
  /// The policy of that kind's handler has a setting out of range. Correct it: see ``HandlerPolicy``.
  case policyOutOfRange(JobKind, String)
  /// The broker cannot be used as it is configured, and waiting would not help. Correct what the error names.
  case broker(TellerError)
  /// A second signal closed the worker at once. So many jobs were running; they run again if they have attempts left.
  case stoppedAtOnce(unfinished: Int)

  /// The most tellers of a worker, in all its departments: every two seconds one message lists the releases of them
  /// all.
  public static let mostTellers = 10_000
  /// The most kinds that a worker may have handlers for. The worker names them in the same message.
  public static let mostHandlers = 1_000

  /// One line: what happened, and what to do about it.
  public var description: String {
    switch self {
    case .noDepartments: "the worker serves no department: name at least one, with its number of tellers"
    case .tellersOutOfRange(let department, let tellers):
      "department \(department) cannot have \(tellers) tellers: give it 1–\(WorkerError.mostTellers)"
    case .tooManyTellers(let tellers):
      "the worker cannot have \(tellers) tellers: give its departments \(WorkerError.mostTellers) together at most, and "
        + "start more workers"
    case .noHandlers: "the worker has no handlers: register one for each kind of job before it runs"
    case .tooManyHandlers(let count):
      "the worker has handlers for \(count) kinds, and may have \(WorkerError.mostHandlers): share them out among several "
        + "workers"
    case .registeredTwice(let kinds):
      "more than one handler is registered for \(list(kinds.map(\.name))): keep one per kind"
    case .alreadyRun: "this worker has run before: make a new one"
    case .unknownDepartments(let names):
      "the coordinator has no department \(list(names)): correct the name, or add it to the coordinator's teller.yaml"
    case .notAllowed(let reason): "the coordinator refuses this worker: \(reason)"
    case .policyOutOfRange(let kind, let problem): "the policy of the handler of \"\(kind)\" cannot be: \(problem)"
    case .broker(let error): error.description
    case .stoppedAtOnce(let count):
      "stopped at once with \(count) unfinished \(count == 1 ? "job" : "jobs"): they run again if they have attempts left"
    }
  }

  private func list(_ names: [String]) -> String {
    names.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
