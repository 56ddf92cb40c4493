public import Foundation

/// When a department tries the next one of its failed jobs again, and why most of those failed that are tried next.
public struct NextRetry: Hashable, Sendable, Codable {
  /// The error of most of the jobs that are tried next, with the message of one of them. Nil: not known.
  public var error: JobFailure?
  private var at: Timestamp

  package init(at: Timestamp, error: JobFailure?) { (self.at, self.error) = (at, error) }

  /// When the next job may run, by the coordinator's clock.
  public var time: Date { at.date }

  enum CodingKeys: String, CodingKey {
    case error
    case at = "at_ms"
  }
}
