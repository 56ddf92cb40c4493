public import ArgumentParser
import CoordinatorSettings
public import JobModel
import JobTransport
public import TellerHealth

/// A duration as an argument: `1500ms`, `45s`, `2m`, `1h`.
struct DurationArgument: ExpressibleByArgument, Equatable {
  let duration: Duration

  init?(argument: String) {
    guard let duration = Duration(written: argument), duration > .zero else { return nil }
    self.duration = duration
  }

  init(_ duration: Duration) { self.duration = duration }

  var defaultValueDescription: String { duration.written }
}

/// How long a key stays taken, as an argument: a duration, or `while-live`.
struct KeyWindowArgument: ExpressibleByArgument, Equatable {
  let window: KeyWindow

  init?(argument: String) {
    if argument == KeyWindow.whileLiveWord {
      window = .whileLive
    } else if let span = DurationArgument(argument: argument) {
      window = .lasting(span.duration)
    } else {
      return nil
    }
  }
}

/// A time in the past as an argument: how long ago, or a moment.
enum SinceArgument: ExpressibleByArgument, Equatable {
  case ago(Duration)
  case at(Timestamp)

  init?(argument: String) {
    if let ago = DurationArgument(argument: argument) {
      self = .ago(ago.duration)
    } else if let moment = Timestamp(rfc3339: argument) {
      self = .at(moment)
    } else {
      return nil
    }
  }

  /// The moment itself.
  func moment(now: Timestamp) -> Timestamp {
    switch self {
    case .ago(let duration): now - duration
    case .at(let moment): moment
    }
  }
}

extension DependencyRule: ExpressibleByArgument {}

// These types read their own texts.
extension JobKind: ExpressibleByArgument, LosslessStringConvertible {
  /// A shell is offered the kinds that the coordinator knows.
  public static var defaultCompletionKind: CompletionKind { NameCompletion.kinds }
}

extension Department: ExpressibleByArgument, LosslessStringConvertible {
  /// A shell is offered the coordinator's departments.
  public static var defaultCompletionKind: CompletionKind { NameCompletion.departments }
}

extension PlanName: ExpressibleByArgument, LosslessStringConvertible {
  /// A shell is offered the coordinator's plans.
  public static var defaultCompletionKind: CompletionKind { NameCompletion.plans }
}

extension SubscriberName: ExpressibleByArgument, LosslessStringConvertible {}
extension EventName: ExpressibleByArgument, LosslessStringConvertible {}
extension GateChoice: ExpressibleByArgument {}
extension JobID: ExpressibleByArgument, LosslessStringConvertible {}
extension HealthAddress: ExpressibleByArgument, LosslessStringConvertible {}

extension Priority: ExpressibleByArgument {
  /// Reads an argument.
  public init?(argument: String) {
    guard let level = Int(argument) else { return nil }
    self.init(level)
  }

  /// How help shows it.
  public var defaultValueDescription: String { description }
}

extension JobState: ExpressibleByArgument {}

extension Timestamp: ExpressibleByArgument {
  /// Reads a moment: `2026-03-01T12:00:00Z`, or with an offset such as `+01:00`.
  package init?(argument: String) { self.init(rfc3339: argument) }

  /// The value's name in the help of every such option, and in errors.
  static let argumentName = "2026-03-01T08:00:00Z"
}

extension JobKey: ExpressibleByArgument {
  /// `invoice/2026-03/A-17`: the name of a kind has no slash.
  public init?(argument: String) {
    let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = JobKind(parts[0]), !parts[1].isEmpty else { return nil }
    self.init(kind: kind, key: String(parts[1]))
  }
}
