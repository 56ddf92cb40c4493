import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("How far runs have come, on its way from the handlers")
struct ProgressBoardTests {
  private let run = RunningRelease(release: ReleaseID(job: JobID(), number: 3), token: 4)

  private func fractions(_ runs: [WorkerProgress.Run]) -> [Double] { runs.map(\.progress.fraction) }

  @Test("of many words the last one is sent, and none that has not changed")
  func changes() {
    let board = ProgressBoard()
    for step in 1...1_000 { board.note(RunProgress(Double(step) / 1_000), of: run) }
    let sent = board.takeChanges { _ in true }
    #expect(sent == [WorkerProgress.Run(release: run.release, token: run.token, RunProgress(1))])
    board.note(RunProgress(1), of: run)
    #expect(board.takeChanges { _ in true }.isEmpty)
    // Away and back again before the next message is no change, either.
    board.note(RunProgress(0.5), of: run)
    board.note(RunProgress(1), of: run)
    #expect(board.takeChanges { _ in true }.isEmpty)
  }

  @Test("nothing is sent of a run that has ended, and nothing of it is kept")
  func ended() {
    let board = ProgressBoard()
    board.note(RunProgress(0.4), of: run)
    #expect(board.takeChanges { _ in false }.isEmpty)
    board.putAllBack()
    #expect(board.takeChanges { _ in true }.isEmpty)
  }

  @Test("what could not be sent is sent again, and all of it to a coordinator that has just started")
  func again() {
    let board = ProgressBoard()
    board.note(RunProgress(0.4), of: run)
    let lost = board.takeChanges { _ in true }
    board.putBack(lost)
    #expect(board.takeChanges { _ in true } == lost)
    board.putAllBack()
    #expect(fractions(board.takeChanges { _ in true }) == [0.4])
  }

  @Test("the signal is raised once for many words, also for those that came without a connection")
  func signals() async throws {
    let board = ProgressBoard()
    board.note(RunProgress(0.1), of: run)
    let due = WorkerSignal()
    board.connect(due)
    board.note(RunProgress(0.2), of: run)
    try await limited("the signal") { for await _ in due.raised { break } }
    #expect(fractions(board.takeChanges { _ in true }) == [0.2])
  }

  @Test("a word is cut to its limits, and what is no number says nothing")
  func limits() {
    #expect(RunProgress(-1).fraction == 0)
    #expect(RunProgress(7).fraction == 1)
    #expect(RunProgress(.infinity).fraction == 1)
    #expect(RunProgress(.nan).fraction == 0)
    #expect(RunProgress(0.40004) == RunProgress(0.4))
    #expect(RunProgress(0.4, "") == RunProgress(0.4))
    let long = RunProgress(0.4, String(repeating: "é", count: 5_000)).text
    #expect(long?.unicodeScalars.count == RunProgress.longestText)
    let said = CalledProgress()
    let context = JobContext(kind: "print", department: "print", payload: 1, onProgress: said.note)
    context.progress(.nan, "0 of 0")
    context.progress(0.5, "1 of 2")
    #expect(said.all == [RunProgress(0.5, "1 of 2")])
  }
}

@Suite("How far runs have come, told by a worker")
struct WorkerProgressTests {
  @Test("the first word comes at once, the last one while the job runs, and no report waits for either")
  func told() async throws {
    let latch = WorkerLatch()
    let register: (Worker) -> Void = { $0.register(Counting(latch: latch)) }
    try await withServingWorker(["deposit": 1], register: register) { worker, peer, _ in
      let assignment = peer.assignment("counting", payload: "{}")
      try await peer.release(assignment)
      var heard: [WorkerProgress.Run] = []
      while heard.last?.progress != RunProgress(1, "all") {
        guard case .progress(let said) = try await peer.nextPresenceMessage("a word", where: { $0.isProgress }) else {
          return
        }
        #expect(said.worker == worker.id)
        #expect(said.runs.map(\.running) == [RunningRelease(release: assignment.release, token: 1)])
        heard += said.runs
      }
      // Ten thousand words were said.
      #expect(heard.count < 100)
      latch.open()
      #expect(try await peer.nextReport().release == assignment.release)
    }
  }

  @Test("a worker that is welcomed again says all of its words again")
  func welcomedAgain() async throws {
    let latch = WorkerLatch()
    let register: (Worker) -> Void = { $0.register(Counting(latch: latch)) }
    try await withServingWorker(["deposit": 1], register: register) { worker, peer, _ in
      try await peer.release(peer.assignment("counting", payload: "{}"))
      _ = try await peer.nextPresenceMessage("the last word") { $0.fractions == [1] }
      try await peer.welcome(worker.welcomed)
      _ = try await peer.nextPresenceMessage("the last word again") { $0.fractions == [1] }
      latch.open()
      _ = try await peer.nextReport()
    }
  }
}

extension PresenceMessage {
  fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }
  fileprivate var fractions: [Double] {
    if case .progress(let said) = self { said.runs.map(\.progress.fraction) } else { [] }
  }
}

/// Counts to ten thousand, says so, and waits.
private struct Counting: JobHandler {
  static let kind: JobKind = "counting"
  struct Payload: Codable, Sendable {}
  let latch: WorkerLatch

  func run(context: JobContext<Payload>) async throws -> NoResult {
    for step in 0..<10_000 { context.progress(Double(step) / 10_000, "\(step)") }
    context.progress(1, "all")
    latch.block()
    return NoResult()
  }
}
