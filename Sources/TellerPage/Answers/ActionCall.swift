import Foundation
import JobModel
import JobTransport
import Logging
import Teller

/// An action that a form asks for.
struct ActionCall: Sendable {
  let client: TellerClient
  let limits: PageLimits
  let logger: Logger
  let person: PagePerson
  /// The form's UUID: the coordinator knows a command by it.
  let form: UUID
  let content: Data

  func body<Body: Decodable>(_ type: Body.Type = Body.self) throws -> Body {
    try JSONText.decode(type, from: content)
  }

  /// Gives the coordinator a command, by the form's id.
  func command<Document: Answer & Encodable>(_ request: AdminRequest, _ type: Document.Type) async throws -> [UInt8] {
    if let problem = request.problem { throw PageProblem.invalid(problem) }
    let answer: Document = try await client.carryOut(
      request, command: form, by: OperatorName(person.name))
    return try PrintedJSON.bytes(answer)
  }

  /// Has the coordinator record what was done without a command, by the form's id. It is done already: where it cannot be
  /// recorded, the person has the answer all the same, and the log says so.
  func record(_ note: ActionNote) async {
    do {
      try await client.note(note, by: OperatorName(person.name), id: form)
    } catch {
      logger.warning(
        "\(person.name) did \(note.action), and it is not in the record of actions: \(PageProblem(error).message.onOneLine)",
        metadata: ["form": "\(form)"])
    }
  }
}
