import JobModel
import Testing

@testable import Teller

/// Waits for many jobs, without a broker.
@Suite struct OutcomeWaitsTests {
  private let jobs = TrackedJobs()

  @Test("to wait for no job ends at once")
  func none() async throws {
    #expect(try await begin([]).reduce(0) { count, _ in count + 1 } == 0)
  }

  @Test("waits that are over before all have begun end with their error, and leave none behind")
  func closed() async throws {
    let ids = (1...10).map { _ in JobID() }
    jobs.end(.closed)
    let ends = begin(ids)
    await #expect(throws: TellerError.closed) { for try await _ in ends {} }
    #expect(jobs.polled.isEmpty)
  }

  @Test("a rejected job is not known, and the others are waited for")
  func rejected() async throws {
    let (rejected, other) = (JobID(), JobID())
    let job = jobs.job(rejected)
    job.learn { $0.acceptance = .failure(JobFailure(code: "bad_key", message: "")) }
    var ends = begin([rejected, other]).makeAsyncIterator()
    #expect(try await ends.next() == .unknown(rejected))
    #expect(jobs.polled == [other])
    jobs.interruptAll(.noCoordinator(silentFor: .seconds(1)))
    await #expect(throws: TellerError.noCoordinator(silentFor: .seconds(1))) { try await ends.next() }
  }

  @Test("what nobody reads is not waited for, although it was never read")
  func dropped() {
    let ids = (1...10).map { _ in JobID() }
    // Somebody has a handle of one of them.
    let handled = jobs.job(ids[0])
    var ends: AsyncThrowingStream<JobEnd, any Error>? = begin(ids)
    #expect(jobs.polled == Set(ids))
    _ = ends
    ends = nil
    #expect(jobs.polled.isEmpty && !handled.hasWaiters)
  }

  private func begin(_ ids: [JobID]) -> AsyncThrowingStream<JobEnd, any Error> {
    let (ends, told) = AsyncThrowingStream<JobEnd, any Error>.makeStream()
    OutcomeWaits(for: Set(ids), in: jobs, telling: told).begin(timeout: .seconds(60), patience: nil)
    return ends
  }
}
