import Foundation
import SystemSupport
import TestSupport

/// Clients that are not Teller's own: Python's pika, in `Clients/`, on the system's broker.
extension TellerSystem {
  /// One message to `teller.submit`, with AMQP's own properties under pika's names.
  static func message(_ properties: [String: any Sendable], body: String = "") throws -> String {
    let message: [String: any Sendable] = ["properties": properties, "body": body]
    return String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
  }

  func launchClient(_ script: String, _ arguments: [String] = []) throws -> RunningProcess {
    let file = PackageFolder.url.appending(path: "Tests/EndToEndTests/Clients/\(script)")
    // -B: it leaves nothing beside its program, also of the modules that it imports.
    return try launch(PythonVenv.pika(), named: script, ["-B", file.path] + arguments)
  }

  /// Submits the messages; the process prints each reply, and ends after the last.
  func submitByPika(_ messages: [String]) throws -> RunningProcess {
    let client = try launchClient("submit.py")
    try client.write(messages.joined(separator: "\n") + "\n")
    client.closeInput()
    return client
  }
}

/// What `submit.py` prints of one reply.
struct ForeignReply: Decodable, Sendable {
  var type: String
  var correlationID: String?
  var job: String?
  var contentType: String?
  var body: String

  enum CodingKeys: String, CodingKey {
    case type, job, body
    case correlationID = "correlation_id"
    case contentType = "content_type"
  }

  /// The JSON that `rejected` and `failed` come with.
  struct Failure: Decodable {
    var error: String
    var message: String
  }

  var failure: Failure? { try? JSONDecoder().decode(Failure.self, from: Data(body.utf8)) }
}

extension RunningProcess {
  /// The replies so far.
  var replies: [ForeignReply] {
    text(of: .standardOutput).compactMap { try? JSONDecoder().decode(ForeignReply.self, from: Data($0.utf8)) }
  }
}
