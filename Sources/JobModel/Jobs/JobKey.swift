/// A key of one kind of jobs. The same key of another kind is another key.
///
///     let status = try await client.outcome(of: JobKey(kind: "invoice", key: "2026-03/A-17"))
public struct JobKey: Hashable, Sendable, Codable {
  /// The kind.
  public var kind: JobKind
  /// The key, as it was submitted: 1–200 bytes without control characters of ASCII.
  @ExactText public var key: String

  /// The key of a kind, whether it is taken or not.
  public init(kind: JobKind, key: String) {
    self.kind = kind
    self.key = key
  }
}
