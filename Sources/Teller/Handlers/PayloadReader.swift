import Foundation
import JobModel

/// From the payload's bytes to the handler's type; what cannot be read is told in words.
enum PayloadReader {
  /// One for all threads: it is never configured, and keeps nothing of what it has read.
  private static let decoder = JSONDecoder()

  /// A payload of no bytes is read as an object without members, so that a job of a handler that needs none can be
  /// submitted without one.
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

  /// `orders[2].price`, or the payload itself.
  private static func place(_ path: [any CodingKey]) -> String {
    if path.isEmpty { return "it" }
    let text = path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : "." + key.stringValue
      }
    }
    return "\"\(text)\""
  }
}

/// From the handler's output to the result's bytes, within the limit of a report.
enum ResultWriter {
  static let contentType = "application/json"
  /// One for all threads, like the decoder.
  private static let encoder = JSONEncoder()
  /// What a handler without a result is written as; most have none.
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
