public import ArgumentParser
public import JobModel
public import Teller

/// A duration as an argument: `1500ms`, `45s`, `2m`.
struct DurationArgument: ExpressibleByArgument, Equatable {
  let duration: Duration

  init?(argument: String) {
    guard let duration = Duration(written: argument), duration > .zero else { return nil }
    self.duration = duration
  }

  init(_ duration: Duration) { self.duration = duration }

  var defaultValueDescription: String { "\(duration.components.seconds)s" }
}

extension JobKind: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) { self.init(argument) }
}

extension Department: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) { self.init(argument) }
}

extension Priority: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) {
    guard let level = Int(argument) else { return nil }
    self.init(level)
  }

  /// How help shows it.
  public var defaultValueDescription: String { description }
}

extension JobID: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) { self.init(argument) }
}

extension JobState: ExpressibleByArgument {}

extension HealthAddress: ExpressibleByArgument {
  /// Reads what stands on the command line.
  public init?(argument: String) { self.init(argument) }
}
