import Foundation
import Teller

/// What is to be submitted, a portion at a time, so that memory stays bounded however much it is.
protocol SubmissionSource: Sendable {
  /// The next portion; nil when there are no more. A portion may be empty.
  mutating func next() async throws -> [SourceItem]?
}

/// One thing to submit.
enum SourceItem: Sendable {
  /// `line` is nil when it does not come from a file.
  case job(line: Int?, JobSubmission<JSONValue>)
  case badLine(Int, problem: String)
}

/// The same job, so many times, each with an id of its own.
struct RepeatedSubmission: SubmissionSource {
  static let portion = 1_000
  /// How often it may be submitted.
  static let limits = 1...10_000_000

  let submission: JobSubmission<JSONValue>
  var left: Int

  mutating func next() -> [SourceItem]? {
    guard left > 0 else { return nil }
    let count = min(left, RepeatedSubmission.portion)
    left -= count
    return (0..<count).map { _ in
      var copy = submission
      copy.id = JobID()
      return .job(line: nil, copy)
    }
  }
}

/// The one job with the id that was chosen for it.
struct SingleSubmission: SubmissionSource {
  private var submission: JobSubmission<JSONValue>?

  init(_ submission: JobSubmission<JSONValue>) {
    self.submission = submission
  }

  mutating func next() -> [SourceItem]? {
    defer { submission = nil }
    return submission.map { [.job(line: nil, $0)] }
  }
}

/// The lines of a file or of standard input.
struct BatchFile: SubmissionSource {
  private let chunks: ByteChunks
  private var splitter = LineSplitter()
  private var isAtEnd = false
  private var bytesRead = 0
  private let progress: SubmissionProgress?

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - progress: Hears how much was read.
  /// - Throws: `Failure` when there is no such file.
  init(_ path: String, progress: SubmissionProgress? = nil) throws {
    chunks = try ByteChunks(path)
    self.progress = progress
    progress?.read(lines: 0, part: part)
  }

  mutating func next() async throws -> [SourceItem]? {
    if isAtEnd { return nil }
    let bytes = try await chunks.next()
    isAtEnd = bytes.isEmpty
    bytesRead += bytes.count
    let items = (isAtEnd ? splitter.finish() : splitter.take(bytes)).map(BatchFile.item)
    progress?.read(lines: items.count, part: part)
    return items
  }

  /// How much of the file was read, 0–1; nil when nobody knows how long it is.
  private var part: Double? {
    guard let count = chunks.count else { return nil }
    // It may have grown.
    return count > 0 ? min(1, Double(bytesRead) / Double(count)) : 0
  }

  private static func item(_ line: LineSplitter.Line) -> SourceItem {
    switch line {
    case .tooLong(let number):
      return .badLine(number, problem: "it has more than \(LineSplitter.defaultLimit) bytes")
    case .text(let number, let bytes):
      do throws(BatchLine.Problem) {
        return .job(line: number, try BatchLine.submission(bytes))
      } catch {
        return .badLine(number, problem: error.description)
      }
    }
  }
}
