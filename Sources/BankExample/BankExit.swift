import ArgumentParser
import Teller
import TellerHealth
import TellerPage

/// The exit codes of `bank`: those of `teller`.
enum BankExit: Int32 {
  case notAsItShould = 1
  case usage = 64
  case broker = 69
  case unexpected = 70
  case noCoordinator = 75
  case configuration = 78
  case timedOut = 124
  case interrupted = 130

  static let help = """
    EXIT CODES: 0 all went well, 1 a customer was not served or the steps did not run by rank (day), 64 the arguments are \
    wrong, 69 the broker is not reached or refuses, 70 something that should not happen, 75 no coordinator answers, 78 \
    the configuration is wrong, or the coordinator has no such department, or refuses the user, 124 a limit has passed, \
    130 Ctrl-C, of a worker the second one.
    """

  /// Runs a command: an error becomes one line on standard error, and an exit code.
  ///
  /// - Throws: `ExitCode`.
  static func reporting(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let code as ExitCode {
      throw code
    } catch {
      if !(error is CancellationError) { BufferedLog.write("bank: \(error)") }
      throw ExitCode(BankExit(error).rawValue)
    }
  }

  /// The exit code for an error.
  init(_ error: any Error) {
    switch error {
    case is CancellationError: self = .interrupted
    case is BankError: self = .notAsItShould
    case is ConfigurationError, is HealthServerError, is PageServerError: self = .configuration
    case let error as WorkerError: self.init(error)
    case let error as TellerError: self.init(error)
    default: self = .unexpected
    }
  }

  private init(_ error: WorkerError) {
    switch error {
    case .broker: self = .broker
    case .unknownDepartments, .notAllowed: self = .configuration
    case .stoppedAtOnce: self = .interrupted
    case .noDepartments, .tellersOutOfRange, .tooManyTellers: self = .usage
    case .noHandlers, .tooManyHandlers, .registeredTwice, .policyOutOfRange, .alreadyRun: self = .unexpected
    }
  }

  private init(_ error: TellerError) {
    switch error {
    case .brokerUnavailable, .brokerBlocked, .brokerRefused, .encryptionFailed: self = .broker
    case .noCoordinatorEver, .noCoordinator, .submissionsFull: self = .noCoordinator
    case .timedOut: self = .timedOut
    case .incomplete(_, _, let reason): self.init(reason)
    default: self = .unexpected
    }
  }
}
