/// A wrong setting of the configuration: its author must correct it. No case shows a broker's password.
public enum ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file cannot be read. Correct the path or its permissions.
  case unreadable(file: String, reason: String)
  /// That line of the file is wrong. Lines are counted from 1.
  case invalid(file: String, line: Int, problem: String)
  /// A flag, an environment variable or an argument has a value that cannot be used; `source` names it.
  case invalidSetting(source: String, problem: String)
  /// The broker's password and all jobs could be read on the way to that host. Use `amqps://`, or set
  /// ``TellerConfiguration/allowsPlaintext`` where the network is trusted.
  case notEncrypted(host: String)

  /// One line: where to look, and what to correct.
  public var description: String {
    switch self {
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .invalid(let file, let line, let problem): "\(file):\(line): \(problem)"
    case .invalidSetting(let source, let problem): "\(source): \(problem)"
    case .notEncrypted(let host):
      "amqp:// to \(host) is not encrypted: use amqps://, or allow it with TELLER_INSECURE=1, in a program with "
        + "allowsPlaintext, where the network is trusted"
    }
  }
}
