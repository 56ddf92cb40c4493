import JobModel
import JobTransport
import Ledger
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator

@Suite("What is told, packed")
struct PackingTests {
  private let worker = WorkerID("one")
  private let other = WorkerID("two")

  private func release(_ number: Int) -> ReleaseID { ReleaseID(job: JobID(), number: number) }

  private func verdict(_ worker: WorkerID, _ release: ReleaseID) -> Outgoing {
    .verdict(worker, ClaimAnswer(release: release, claim: 1, verdict: .drop))
  }

  private func voidChanges(_ packed: [PackedOutgoing]) -> [VoidChange] {
    packed.compactMap { if case .void(_, let change) = $0 { change } else { nil } }
  }

  @Test("answers to the same worker at the same time are one message")
  func packsAnswers() {
    let releases = (1...5).map(release)
    let packed = ([verdict(other, release(9))] + releases.map { verdict(worker, $0) }).packed
    #expect(packed.count == 2)
    let answers = packed.compactMap { if case .answers(worker, let answers) = $0 { answers } else { nil } }
    #expect(answers.map { $0.map(\.release) } == [releases])
  }

  @Test("what stands between two things of one kind stays between them")
  func keepsOrder() {
    let probe = Outgoing.probe(worker, number: 7, since: Timestamp(milliseconds: 0))
    let packed = [verdict(worker, release(1)), probe, verdict(worker, release(2))].packed
    #expect(packed.count == 3)
    guard case .single(.probe(_, number: 7, since: _)) = packed[1] else {
      Issue.record("the probe has another place: \(packed)")
      return
    }
  }

  @Test("adoptions of a worker are one message")
  func packsAdoptions() {
    let releases = (1...3).map(release)
    let packed = releases.map { Outgoing.adopted(worker, $0) }.packed
    let adopted = packed.compactMap { if case .adopted(worker, let releases) = $0 { releases } else { nil } }
    #expect(adopted == [releases])
  }

  @Test("void changes are packed per department")
  func packsVoids() {
    let packed = [
      Outgoing.void("work", VoidChange(void: [release(1)])), .void("init", VoidChange(void: [release(2)])),
      .void("work", VoidChange(void: [release(3)])),
    ].packed
    #expect(voidChanges(packed).map(\.void.count).sorted() == [1, 2])
  }

  @Test("a release that is void and then forgotten is only forgotten")
  func forgottenLater() {
    let release = release(1)
    let packed = [
      Outgoing.void("work", VoidChange(void: [release], ended: [release])),
      .void("work", VoidChange(forgotten: [release])),
    ].packed
    #expect(voidChanges(packed) == [VoidChange(forgotten: [release])])
  }

  @Test("a release that is forgotten and then void is only void")
  func voidLater() {
    let release = release(1)
    let packed = [
      Outgoing.void("work", VoidChange(forgotten: [release])), .void("work", VoidChange(void: [release])),
    ].packed
    #expect(voidChanges(packed) == [VoidChange(void: [release])])
  }

  @Test("replies to queues whose names Unicode takes for one go to two")
  func queues() {
    let packed = ["teller.reply.\u{E9}", "teller.reply.e\u{301}"].map {
      Outgoing.reply(to: $0, Reply(job: JobID().description, correlationID: nil, content: .accepted))
    }.packed
    #expect(packed.count == 2)
  }
}
