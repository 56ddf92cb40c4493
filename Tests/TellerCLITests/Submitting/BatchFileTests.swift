import Foundation
import JobModel
import Teller
import TestSupport
import Testing

@testable import TellerCLI

@Suite("The file of a batch")
struct BatchFileTests {
  private func items(_ bytes: [UInt8]) async throws -> [SourceItem] {
    let folder = try TemporaryFolder()
    let file = folder.appending("batch")
    try Data(bytes).write(to: file)
    var batch = try BatchFile(file.path)
    var items: [SourceItem] = []
    while let next = try await batch.next() { items += next }
    return items
  }

  @Test("comes from any editor, and each of its lines is a job", arguments: Editor.allCases)
  func editors(editor: Editor) async throws {
    let lines = [#"{"kind":"a","payload":{"n":1.10}}"#, "", "# a remark", #"{"kind": "b"}"#]
    let jobs = try await items(editor.save(lines)).map { item -> String in
      switch item {
      case .job(let job): "\(job.submission.kind) \(String(decoding: job.submission.payload, as: UTF8.self))"
      case .badLine(let line, let problem): "\(line): \(problem)"
      }
    }
    #expect(jobs == [#"a {"n":1.10}"#, "b "])
  }

  @Test("in UTF-16 is refused as a whole, and says so; a NUL makes its line a wrong one")
  func refused() async throws {
    for (bytes, reason) in Editor.refused([#"{"kind":"a"}"#]) {
      if reason == "NUL" {
        let items = try await items(bytes)
        guard case .badLine(2, let problem)? = items.last else {
          Issue.record("\(items)")
          continue
        }
        #expect(problem.contains(reason))
      } else {
        let failure = await #expect(throws: Failure.self) { try await items(bytes) }
        #expect(failure?.status == .usage && failure?.message?.contains(reason) == true)
      }
    }
  }

  @Test("keeps the number of each line, also behind lines of another editor")
  func numbers() async throws {
    let items = try await items(Array("{\"kind\":\"a\"}\r\n\r\n# x\r\nnothing\r{\"kind\":\"b\"}".utf8))
    let numbers = items.map { item -> Int? in
      switch item {
      case .job(let job): job.line
      case .badLine(let line, _): -line
      }
    }
    #expect(numbers == [1, -4, 5])
  }
}
