import Foundation
import JobModel
import JobTransport

/// Reads the payload's bytes as the handler's type. The failure says in words what is wrong.
enum PayloadReader {
  /// One for all threads: it is never configured, and keeps no state.
  private static let decoder = JSONDecoder()

  /// Reads a payload. One without bytes is read as an object without members: a job may need no payload.
  static func read<Payload: Decodable>(_ type: Payload.Type, from bytes: [UInt8]) -> Result<Payload, JobFailure> {
    let data = bytes.isEmpty ? Data("{}".utf8) : Data(bytes)
    do {
      return .success(try decoder.decode(type, from: data))
    } catch let error as DecodingError {
      return .failure(failure(words(for: error)))
    } catch {
      return .failure(failure(String(describing: error)))
    }
  }

  private static func failure(_ problem: String) -> JobFailure {
    JobFailure(code: "bad_payload", message: "the payload is not what its handler expects: \(problem)")
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
  /// One for all threads, like the decoder.
  private static let encoder = JSONEncoder()
  /// ``NoResult`` as JSON; most handlers have no result.
  private static let noResult = Array("{}".utf8)

  static func write(_ output: some Encodable) -> AttemptResult {
    if output is NoResult { return .succeeded(result: noResult, contentType: contentType) }
    let data: Data
    do {
      data = try encoder.encode(output)
    } catch {
      let message = "the handler's result cannot be written as JSON: \(error)"
      return .failed(JobFailure(code: "bad_result", message: message), isPermanent: true)
    }
    guard data.count <= Report.resultLimit else {
      let message =
        "the handler's result has \(data.count) bytes, and at most \(Report.resultLimit) are kept; "
        + "store it elsewhere and return where it is"
      return .failed(JobFailure(code: "result_too_large", message: message), isPermanent: true)
    }
    return .succeeded(result: [UInt8](data), contentType: contentType)
  }
}
