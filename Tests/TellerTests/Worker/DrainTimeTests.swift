import JobModel
import Testing
import TestSupport

@testable import Teller

@Suite("How long a worker's drain may take", .timeLimit(.minutes(10)))
struct DrainTimeTests {
  /// Longer than the hour of a worker that does not say it.
  private static let drain = 7_200_000

  @Test("is in what a worker tells of itself from the drain on, and not before")
  func told() async throws {
    let timeouts = WorkerTimeouts(drain: .milliseconds(Self.drain))
    try await withServingWorker(timeouts: timeouts, left: 0) { worker, peer, stage in
      #expect(worker.welcomed.drainMs == nil)
      let runs = peer.assignment()
      try await peer.release(runs)
      _ = try await stage.nextEntry()
      await worker.drain()
      var left: [Int64] = []
      // The second may have come with the first; the third is one later of those that come every two seconds.
      for _ in 1...3 {
        let presence = try await peer.nextPresence("it says that it drains", where: \.isDraining)
        #expect(!presence.isGoodbye)
        left.append(try #require(presence.drainMs))
      }
      let usual = Presence.usualDrain.milliseconds
      #expect(left.allSatisfy { $0 > usual && $0 <= Int64(Self.drain) }, "\(left)")
      #expect(left[2] < left[0], "it is the time that is left: \(left)")
      stage.open()
      #expect(try await peer.nextReport().release == runs.release)
      _ = try await peer.nextPresence("the goodbye", where: \.isGoodbye)
      try await worker.end()
    }
  }
}
