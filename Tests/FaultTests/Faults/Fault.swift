import AuditSupport
import Testing

/// One way to harm a system, and to let it heal. A healed system has everybody whom it needs; that it then serves again,
/// and what of, is for the system alone.
struct Fault: Sendable, CustomTestStringConvertible {
  typealias Act = @Sendable (Stage) async throws -> Void

  let name: String
  var setting = Stage.Setting.usual
  /// How many jobs a worker takes ahead.
  var ahead = 0
  /// It needs the broker's first virtual host: the others end with it.
  var isInFirstVirtualHost = false
  var allowances: Set<Allowance> = []
  let inject: Act
  var heal: Act = { _ in }

  var testDescription: String { name }
}

extension Fault {
  /// Longer than the lease of these systems. It is waited out: that much time without a sound is what such a fault is
  /// about, and there is no signal for it.
  static let silence: Duration = .seconds(23)
  /// A short while in trouble, while jobs are submitted.
  static let moment: Duration = .seconds(3)
}
