import AMQP
import CoordinatorSettings
import JobTransport
import Teller
import TellerHealth

/// The failure of a command: the exit code for the shell, and the line for the person.
struct Failure: Error, Equatable {
  var status: ExitStatus
  /// What happened, and what to do about it; nil when the command has printed it already.
  var message: String?

  init(_ status: ExitStatus, _ message: String? = nil) {
    self.status = status
    self.message = message
  }
}

extension Failure {
  /// The failure for any error of a command.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case ConfigurationError.notEncrypted(let host): self.init(.configuration, ProcessSettings.notEncrypted(host))
    case let error as WrongSettings: self.init(.configuration, error.description)
    case let error as ConfigurationError: self.init(.configuration, error.description)
    case let error as TellerError: self.init(ExitStatus(error), error.description)
    case let error as AMQPError: self.init(.brokerUnavailable, error.description)
    case let error as JobError: self.init(ExitStatus(error), error.description)
    case let error as HealthServerError: self.init(ExitStatus(error), error.description)
    case is CancellationError: self.init(.interrupted, "interrupted")
    default: self.init(.internalError, "\(error); this should not happen, please report it")
    }
    message = message?.onOneLine
  }
}

extension ExitStatus {
  init(_ error: JobError) {
    self =
      switch error {
      case .rejected: .rejected
      case .failed, .cancelled: .jobFailed
      }
  }

  init(_ error: HealthServerError) {
    self =
      switch error {
      case .cannotListen: .configuration
      case .noResources: .noResources
      }
  }

  init(_ error: TellerError) {
    self =
      switch error {
      case .brokerUnavailable, .brokerBlocked, .brokerRefused, .encryptionFailed: .brokerUnavailable
      case .noCoordinatorEver, .noCoordinator, .submissionsFull: .noCoordinator
      case .timedOut: .timedOut
      case .incomplete(_, _, let reason): ExitStatus(reason)
      case .invalid, .payloadTooLarge, .messageRefused: .usage
      case .unknownJob: .unknownJob
      case .refused(let failure): ExitStatus(refusedWith: failure.code)
      case .unexpectedResult, .notUnderstood, .eventsMissing, .notRunning, .closed: .internalError
      }
  }

  private init(refusedWith code: String) {
    self =
      switch code {
      // A question about something that does not exist.
      case JobFailure.Code.notFound, JobFailure.Code.unknownDepartment, JobFailure.Code.noWorker,
        JobFailure.Code.unknownPlan:
        .unknownJob
      // The same question may be answered later.
      case JobFailure.Code.busy: .noCoordinator
      case JobFailure.Code.internalError: .internalError
      default: .rejected
      }
  }
}
