import Foundation
import JobModel
import JobTransport
import Teller

// Questions about one job, or one plan.
extension Questions {
  /// `path`: the job's id, and perhaps what is asked of it.
  func job(_ path: [String], _ query: inout Query, _ person: PagePerson) async throws -> PageAnswer? {
    try query.end()
    guard let id = JobID(path[0]) else { throw PageProblem.invalid("a job has a UUID") }
    switch path.dropFirst().first {
    case nil: return try .json(await record(id))
    case "explanation"?: return try .json(await client.explain(id))
    case "payload"?: return try .json(await payload(id, person))
    case "result"?: return try .json(await result(id))
    default: return nil
    }
  }

  /// Without the result, which is asked for by itself.
  private func record(_ id: JobID) async throws -> JobRecord {
    var job = try await client.job(id)
    job.hideResult()
    return job
  }

  private func payload(_ id: JobID, _ person: PagePerson) async throws -> ShownContent {
    guard settings.showsPayloads else { throw PageProblem.noPayloads }
    guard person.role == .operator else {
      throw settings.isReadOnly ? PageProblem.noPayloadsHere : PageProblem.viewer
    }
    // A command, and not the client's question: so the coordinator records who has read the payload.
    let content: JobContent = try await client.carryOut(
      .payload(id), command: UUID(), by: OperatorName(person.name))
    return ShownContent(content.payload, contentType: content.contentType)
  }

  private func result(_ id: JobID) async throws -> ShownContent {
    guard settings.showsPayloads else { throw PageProblem.noPayloads }
    guard case .succeeded(let result, let contentType) = try await client.job(id).outcome else {
      throw PageProblem(status: 404, code: "not_found", message: "job \(id) has no result: it has not succeeded")
    }
    return ShownContent(result, contentType: contentType)
  }

  /// By the plan's name, or by the id of a run.
  func plan(_ name: String, _ query: inout Query) async throws -> PageAnswer {
    try query.end()
    if let run = JobID(name) { return try .json(await client.plan(run)) }
    guard let plan = PlanName(name) else { throw PageProblem.invalid("a plan has a name, and its run a UUID") }
    return try .json(await client.plan(plan))
  }
}

/// A payload or a result, which may be any bytes.
struct ShownContent: Encodable, Hashable {
  var text: String?
  var base64: String?
  var contentType: String?

  init(_ bytes: [UInt8], contentType: String?) {
    text = String(validating: bytes, as: UTF8.self)
    base64 = text == nil ? Data(bytes).base64EncodedString() : nil
    self.contentType = contentType
  }
}
