import JobModel
import Synchronization
import Teller
import TellerTesting
import Testing
import TestSupport

/// Prints its pages, and says so. Its last page waits until the test has seen the first ones.
private final class Printing: JobHandler {
  static let kind: JobKind = "print"
  private let goesOn = OneShot<Void>()

  func run(context: JobContext<NoResult>) async throws -> NoResult {
    context.progress(0.5, "page 1\nof \u{1B}[31m2")
    try await goesOn.value
    return NoResult()
  }

  func goOn() { goesOn.fulfil(.success(())) }
}

/// Says how far it has come, without a worker.
private struct Counting: JobHandler {
  static let kind: JobKind = "count"
  func run(context: JobContext<NoResult>) async throws -> NoResult {
    for step in 1...3 { context.progress(Double(step) / 3, "\(step) of 3") }
    return NoResult()
  }
}

@Suite("How far a job has come, in a whole system", .timeLimit(.minutes(10)))
struct ProgressSystemTests {
  /// Without its time: a worker that is welcomed again says its words again.
  private func word(_ progress: RunProgress?) -> [String?] { [progress.map { "\($0.fraction)" }, progress?.text] }

  @Test("its last word is shown and followed while it runs, and gone when it has ended")
  func whole() async throws {
    let printing = Printing()
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["post": [printing]], on: broker) { system in
      let job = try await system.client.submit(Printing.self, NoResult(), department: "post")
      var said: [RunProgress] = []
      for try await progress in job.progress {
        said.append(progress)
        let record = try await system.client.job(job.id)
        #expect(word(record.progress) == word(progress))
        // Whoever comes late is told, too.
        for try await late in system.client.progress(of: job.id) {
          #expect(word(late) == word(progress))
          break
        }
        printing.goOn()
      }
      #expect(Set(said.map(\.fraction)) == [0.5])
      #expect(Set(said.map(\.text)) == ["page 1\nof \u{1B}[31m2"])
      #expect(said.first?.at != nil)
      let record = try await system.client.job(job.id)
      #expect(record.state == .succeeded)
      #expect(record.progress == nil)
      for try await _ in job.progress { Issue.record("there is a word of a job that has ended") }
      let unknown = JobID()
      await #expect(throws: TellerError.unknownJob(unknown)) {
        for try await _ in system.client.progress(of: unknown) {}
      }
    }
  }

  @Test("a test of a handler sees each of its words")
  func handler() async throws {
    let said = Mutex<[String?]>([])
    let note = { @Sendable (word: RunProgress) in said.withLock { $0.append(word.text) } }
    _ = try await TellerTesting.run(Counting(), NoResult(), onProgress: note)
    #expect(said.withLock(\.self) == ["1 of 3", "2 of 3", "3 of 3"])
  }
}
