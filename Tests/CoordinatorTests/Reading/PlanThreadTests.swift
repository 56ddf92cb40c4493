import AMQP
import Dispatch
import JobModel
import JobTransport
import Synchronization
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator

@Suite("Where a message is read")
struct PlanThreadTests {
  @Test("a plan is read on another thread than the one that writes the ledger, and a job on that one")
  func threads() async throws {
    let books = try await Books()
    let plan = message(contentType: "application/vnd.teller.plan+json", body: #"{"department":"init","steps":[]}"#)
    let job = message(contentType: "application/json", body: "{}")
    let elsewhere = CountingExecutor()
    let (ofJobs, ofPlan) = try await withTaskExecutorPreference(elsewhere) {
      (
        try await books.bookkeeper.read([job, job], counting: elsewhere),
        try await books.bookkeeper.read([job, plan], counting: elsewhere)
      )
    }
    #expect(ofJobs == 0)
    #expect(ofPlan == 1)
  }

  private func message(contentType: String, body: String) -> Delivery {
    var message = Delivery.empty
    message.properties.contentType = contentType
    message.properties.messageID = JobID().description
    message.properties.type = "deposit"
    message.body = .bytes(Array(body.utf8))
    return message
  }
}

extension Bookkeeper {
  /// How often reading these went on elsewhere.
  fileprivate func read(_ messages: [Delivery], counting elsewhere: CountingExecutor) async throws -> Int {
    let before = elsewhere.count
    for message in messages { try #require(await ReadSubmission.all(in: message).count == 1) }
    return elsewhere.count - before
  }
}

/// Where tasks go on that are bound to no other thread.
private final class CountingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "elsewhere")
  private let jobs = Atomic(0)

  var count: Int { jobs.load(ordering: .sequentiallyConsistent) }

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.add(1, ordering: .sequentiallyConsistent)
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
