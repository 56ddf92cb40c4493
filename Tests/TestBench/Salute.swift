import Foundation
import Teller

/// A kind that a worker has a handler for only when it is told so, in one of two versions: the first reads
/// `{"name": "Ada"}`, the second also `{"first": "Ada", "last": "Lovelace"}`. Each leaves a trace as `effect` does; the
/// first then runs for `"ms"` milliseconds.
struct Salute: JobHandler {
  static let kind: JobKind = "salute"

  struct Payload: Codable, Sendable {
    var name: String
    var ms: Int?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    try Effect.append("\(context.id) \(context.attempt) \(getpid())\n")
    if let ms = context.payload.ms { try await Task.sleep(for: .milliseconds(ms)) }
    return NoResult()
  }
}

/// The second version.
struct SaluteByBothNames: JobHandler {
  static let kind: JobKind = Salute.kind

  struct Payload: Codable, Sendable {
    var name: String?
    var first: String?
    var last: String?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    guard context.payload.name != nil || context.payload.last != nil else {
      throw JobFailure(code: "no_name", message: "the payload has neither \"name\" nor \"last\"")
    }
    try Effect.append("\(context.id) \(context.attempt) \(getpid())\n")
    return NoResult()
  }
}

/// What both versions of a worker have.
struct Wave: JobHandler {
  static let kind: JobKind = "wave"

  struct Payload: Codable, Sendable {}

  func run(context: JobContext<Payload>) async throws -> NoResult {
    try Effect.append("\(context.id) \(context.attempt) \(getpid())\n")
    return NoResult()
  }
}
