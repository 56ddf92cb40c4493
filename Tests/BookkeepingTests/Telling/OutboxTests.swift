import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("The outbox")
struct OutboxTests {
  /// About as large as that many bytes.
  private func large(_ bytes: Int) -> Outgoing {
    .reply(
      to: "teller.reply.x",
      Reply(
        job: "j", correlationID: nil,
        content: .outcome(.succeeded(result: [UInt8](repeating: 0, count: bytes), contentType: nil))))
  }

  @Test("who fills it waits until something was taken")
  func room() async throws {
    let outbox = Outbox(clock: HandClock().read)
    await outbox.waitForRoom()
    outbox.append([large(Outbox.limit)])
    #expect(!outbox.hasRoom)
    let filler = Task { await outbox.waitForRoom() }
    #expect(await outbox.take()?.count == 1)
    try await limited("the room that there is again") { await filler.value }
    #expect(outbox.hasRoom)
  }

  @Test("it knows for how long it has been full without a break")
  func full() async throws {
    let clock = HandClock()
    let outbox = Outbox(clock: clock.read)
    #expect(!outbox.wasFull(for: .zero, until: clock.monotonic + .seconds(1)))
    outbox.append([large(Outbox.limit)])
    let began = clock.monotonic
    #expect(!outbox.wasFull(for: .seconds(3_600), until: began))
    outbox.append([large(1)])
    #expect(outbox.wasFull(for: .seconds(3_600), until: began + .seconds(3_601)))
    _ = await outbox.take()
    #expect(!outbox.wasFull(for: .seconds(3_600), until: began + .seconds(3_601)))
  }

  @Test("while nothing of it gets out nobody's lease passes, since nobody is heard")
  func leases() async throws {
    let books = try await Books()
    let worker = WorkerID()
    books.outbox.append([large(Outbox.limit)])
    let start = books.clock.monotonic
    try await books.beginSession(at: start)
    try await books.present(worker, at: start)
    for second in 3...60 { try await books.bookkeeper.tick(at: start + .seconds(second), isBlocked: false) }
    #expect(await books.bookkeeper.isWelcome(worker))
    _ = try await books.told()
    for second in 61...80 { try await books.bookkeeper.tick(at: start + .seconds(second), isBlocked: false) }
    #expect(await !books.bookkeeper.isWelcome(worker))
  }

  @Test("while it is full, nothing that is due is decided")
  func due() async throws {
    let books = try await Books()
    let job = Submission(id: JobID(), kind: "deposit", runAt: .within(.seconds(60)))
    try await books.accept(job)
    let later = books.now + .seconds(61)
    books.outbox.append([large(Outbox.limit)])
    #expect(try await !books.bookkeeper.lookAtClock(later))
    #expect(await books.bookkeeper.memory.desks["work"]?.delayed == 1)
    _ = try await books.told()
    try await books.bookkeeper.lookAtClock(later)
    #expect(try await books.told().assignments.map(\.job) == [job.id])
  }
}
