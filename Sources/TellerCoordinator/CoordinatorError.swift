import AMQP
import CoordinatorSettings
import JobModel
import JobTransport
import Ledger
public import Teller

/// Why a ``Coordinator`` cannot be made, does not run, or has ended. Each case says who must act.
public enum CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The settings have mistakes. Correct all of them. Each line is one mistake: `FILE:LINE: problem`, or the problem alone
  /// when it is not in the file. The lines are in the order of the file. After a hundred mistakes the last line says how
  /// many more there are.
  case wrongSettings([String])
  /// The ledger cannot be opened, read or written, and waiting would not help. Do what the reason says.
  case ledger(reason: String)
  /// The broker cannot be used as it is configured, and waiting would not help. Correct what the error names.
  case broker(TellerError)
  /// The broker's virtual host belongs to another ledger, or was handed over to it. Do what the reason says: it names both
  /// ledgers.
  case otherLedger(reason: String)
  /// `run()` was called before. A coordinator runs once: make a new one.
  case alreadyRun

  /// What happened, and what to do about it, on one line; of wrong settings a line for each mistake.
  public var description: String {
    switch self {
    case .wrongSettings(let lines): lines.joined(separator: "\n")
    case .ledger(let reason), .otherLedger(let reason): reason
    case .broker(let error): error.description
    case .alreadyRun: "this coordinator has run before: make a new one"
    }
  }
}

extension CoordinatorError {
  init(_ wrong: WrongSettings) {
    self = .wrongSettings(wrong.lines.map(\.onOneLine))
  }

  /// The error of a run that has ended by one of the coordinator's parts; nil: the error is of another kind.
  init?(ending error: any Error) {
    switch error {
    case let error as ForeignClaim: self = .otherLedger(reason: error.description)
    case let error as LedgerError: self = .ledger(reason: error.description)
    case let error as AMQPError:
      // Not as a client's error: what lacks here is not another coordinator.
      self = .broker(TellerError(refusal: error) ?? .brokerRefused(reason: error.cause))
    default: return nil
    }
  }
}
