import Foundation
import JobModel
import JobTransport

/// Reads the payload's bytes as the handler's type. The failure says in words what is wrong.
enum PayloadReader {
  /// Reads a payload. One without bytes is read as an object without members: a job may need no payload.
  ///
  /// - Throws: a failure with the code `bad_payload`. It is not permanent: another worker may have a later version of the
  ///   handler, which can read the payload.
  static func read<Payload: Decodable>(
    _ type: Payload.Type, from bytes: [UInt8]
  ) throws(JobFailure) -> Payload {
    do {
      return try JSONText.decode(type, from: bytes.isEmpty ? Array("{}".utf8) : bytes)
    } catch let error as DecodingError {
      throw failure(words(for: error))
    } catch {
      throw failure(String(describing: error))
    }
  }

  private static func failure(_ problem: String) -> JobFailure {
    JobFailure(code: JobFailure.Code.badPayload, message: "the payload is not what its handler expects: \(problem)")
  }

  private static func words(for error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "\(place(context.codingPath)) has no member \"\(key.stringValue)\""
    case .typeMismatch(let type, let context):
      "\(place(context.codingPath)) is not of type \(type)"
    case .valueNotFound(let type, let context):
      "\(place(context.codingPath)) is null, where a value of type \(type) must be"
    case .dataCorrupted(let context):
      "\(place(context.codingPath)): \(context.debugDescription)"
    @unknown default:
      String(describing: error)
    }
  }

  /// `"orders[2].price"`, or `it` for the whole payload.
  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "it" : "\"\(CodingPath.text(path))\""
  }
}

/// Writes the handler's output as the result's bytes, within the limit of a report.
enum ResultWriter {
  static let contentType = "application/json"
  /// One for all threads: it is never configured, and keeps no state.
  private static let encoder = JSONEncoder()
  /// ``NoResult`` as JSON; most handlers have no result.
  private static let noResult = Array("{}".utf8)

  /// - Throws: a permanent failure: another attempt would have such a result, too.
  static func write(_ output: some Encodable) throws(PermanentFailure) -> JobOutput {
    if output is NoResult { return JobOutput(bytes: noResult, contentType: contentType) }
    let data: Data
    do {
      data = try encoder.encode(output)
    } catch {
      let message = "the handler's result cannot be written as JSON: \(reason(of: error))"
      throw PermanentFailure(code: JobFailure.Code.badResult, message: message)
    }
    guard data.count <= Report.resultLimit else {
      let message =
        "the handler's result has \(data.count) bytes, and at most \(Report.resultLimit) are kept; "
        + "store it elsewhere and return where it is"
      throw PermanentFailure(code: JobFailure.Code.resultTooLarge, message: message)
    }
    return JobOutput(bytes: [UInt8](data), contentType: contentType)
  }

  /// What is wrong, and where, without the value: that is no business of a log.
  private static func reason(of error: any Error) -> String {
    guard case .invalidValue(_, let context)? = error as? EncodingError else { return "\(error)" }
    let path = context.codingPath.prefix(16).map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
  }
}
