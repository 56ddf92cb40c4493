import Foundation
import Teller

/// The jobs to submit, a portion at a time: so memory stays bounded.
protocol SubmissionSource: Sendable {
  /// The next portion; nil when there are no more. A portion may be empty.
  mutating func next() async throws -> [SourceItem]?
}

/// A job to submit, or a line that describes none.
enum SourceItem: Sendable {
  case job(Job)
  case badLine(Int, problem: String)

  struct Job: Sendable {
    /// Nil: the job does not come from a file.
    var line: Int?
    var submission: JobSubmission<JSONValue>
  }
}

/// The same job, so many times: the first with the id of the submission, each other one with an id of its own.
struct RepeatedSubmission: SubmissionSource {
  static let portion = 1_000
  /// How often a job may be submitted.
  static let limits = 1...10_000_000

  var submission: JobSubmission<JSONValue>
  var left: Int

  mutating func next() -> [SourceItem]? {
    guard left > 0 else { return nil }
    let count = min(left, RepeatedSubmission.portion)
    left -= count
    return (0..<count).map { _ in
      defer { submission.id = JobID() }
      return .job(SourceItem.Job(submission: submission))
    }
  }
}

/// The lines of a file or of standard input. Lines that begin with `#` are remarks.
struct BatchFile: SubmissionSource {
  private let path: String
  private let chunks: ByteChunks
  private var splitter = LineSplitter()
  private var isAtEnd = false
  private var bytesRead = 0
  private let progress: SubmissionProgress?

  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - progress: Told how much was read.
  /// - Throws: `Failure` when there is no such file.
  init(_ path: String, progress: SubmissionProgress? = nil) throws {
    self.path = path
    chunks = try ByteChunks(path)
    self.progress = progress
    progress?.read(lines: 0, part: part)
  }

  mutating func next() async throws -> [SourceItem]? {
    if isAtEnd { return nil }
    let bytes = try await chunks.next()
    isAtEnd = bytes.isEmpty
    bytesRead += bytes.count
    let items = try lines(bytes).compactMap(BatchFile.item)
    progress?.read(lines: items.count, part: part)
    return items
  }

  private mutating func lines(_ bytes: [UInt8]) throws -> [LineSplitter.Line] {
    do throws(TextProblem) {
      return isAtEnd ? try splitter.finish() : try splitter.take(bytes)
    } catch {
      throw Failure(.usage, "\(path == "-" ? "standard input" : path) cannot be read: \(error)")
    }
  }

  /// How much of the file was read, 0–1; nil when its length is unknown.
  private var part: Double? {
    guard let count = chunks.count else { return nil }
    // The file may have grown.
    return count > 0 ? min(1, Double(bytesRead) / Double(count)) : 0
  }

  /// Nil: the line is a remark.
  private static func item(_ line: LineSplitter.Line) -> SourceItem? {
    switch line {
    case .unreadable(let problem): return .badLine(problem.line, problem: problem.description)
    case .text(let number, let bytes):
      if bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "#") { return nil }
      do throws(BatchLine.Problem) {
        return .job(SourceItem.Job(line: number, submission: try BatchLine.submission(bytes)))
      } catch {
        return .badLine(number, problem: error.description)
      }
    }
  }
}
