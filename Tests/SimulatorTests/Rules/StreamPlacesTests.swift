import JobModel
import Testing

@testable import Simulator

/// That a place of the stream has one event for good.
@Suite("The simulator's rule of the stream's places")
struct StreamPlacesTests {
  private static let job = JobID()

  private func batch(
    _ event: String, of job: JobID? = StreamPlacesTests.job, seq: Int64? = 1, epoch: Int = 1,
    in ledger: String = "first"
  ) -> NotificationBatch {
    let notification = JobModel.Notification(seq: seq, job: job, event: event, at: Timestamp(milliseconds: 0))
    return NotificationBatch(ledger: LedgerID(ledger), epoch: epoch, notifications: [notification])
  }

  /// What is found at 20 after a first event was seen.
  private func found(
    _ batch: NotificationBatch, restored: Duration? = nil, firstAt: Duration = .seconds(5)
  ) -> String? {
    var places = StreamPlaces()
    #expect(places.note(self.batch("succeeded"), at: firstAt, restored: restored) == nil)
    return places.note(batch, at: .seconds(20), restored: restored)
  }

  @Test("finds another event, or the event of another job, at a place that somebody has seen")
  func another() {
    #expect(found(batch("succeeded")) == nil)
    #expect(found(batch("failed"))?.contains("1/1") == true)
    #expect(found(batch("succeeded", of: JobID())) != nil)
    #expect(found(batch("succeeded", of: nil)) != nil)
  }

  @Test("takes another number, another epoch and another ledger for another place, and what has no number for none")
  func places() {
    #expect(found(batch("failed", seq: 2)) == nil)
    #expect(found(batch("failed", epoch: 2)) == nil)
    #expect(found(batch("failed", in: "second")) == nil)
    #expect(found(batch("failed", seq: nil)) == nil)
  }

  @Test("finds it also when the ledger was rolled back meanwhile, but not for what was on its way then")
  func restored() {
    #expect(found(batch("failed"), restored: .seconds(10)) != nil)
    #expect(found(batch("failed"), restored: .seconds(10), firstAt: .seconds(12)) == nil)
  }

  @Test("keeps what was there first")
  func first() {
    var places = StreamPlaces()
    #expect(places.note(batch("succeeded"), at: .zero, restored: nil) == nil)
    #expect(places.note(batch("failed"), at: .zero, restored: nil) != nil)
    #expect(places.note(batch("succeeded"), at: .zero, restored: nil) == nil)
  }

  @Test("whoever follows the stream reports it, unless a broker without its disk met a ledger that was rolled back")
  func world() {
    let world = World(seed: 1, manner: .v3_10, isTraced: false)
    world.see(batch("succeeded"))
    #expect(world.failures.isEmpty)
    world.see(batch("failed"))
    #expect(world.failures.count == 1)
    world.restoredAt = .seconds(10)
    world.faults = [.wipeBroker]
    world.see(batch("failed"))
    #expect(world.failures.count == 1)
  }
}
