import JobModel
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport

@Suite("Acceptances that wait for an outcome")
struct WaitingAcceptancesTests {
  private func acceptance(_ job: String, to queue: String = "teller.reply.x") -> Outgoing {
    .acceptance(to: queue, Reply(job: job, correlationID: nil, content: .accepted))
  }

  private func outcome(_ job: String, to queue: String = "teller.reply.x") -> Outgoing {
    let content = Reply.Content.outcome(.succeeded(result: [], contentType: nil))
    return .reply(to: queue, Reply(job: job, correlationID: nil, content: content))
  }

  private func told(by outbox: Outbox) async -> [Reply.Content] {
    outbox.append([outcome("mark")])
    return await (outbox.take() ?? []).replies.dropLast()
  }

  @Test("an acceptance goes right before its outcome, and holds nobody else back")
  func together() async {
    let outbox = Outbox(clock: HandClock().read)
    outbox.append([acceptance("a"), acceptance("b"), outcome("c")])
    #expect(await told(by: outbox).count == 1)
    outbox.append([outcome("b", to: "teller.reply.y"), outcome("b")])
    let replies = await told(by: outbox)
    #expect(replies.count == 3 && replies[1] == .accepted)
    outbox.releaseAcceptances()
    #expect(await told(by: outbox) == [.accepted])
  }

  @Test("a second acceptance of the same job lets the first one go")
  func twice() async {
    let outbox = Outbox(clock: HandClock().read)
    outbox.append([acceptance("a"), acceptance("a")])
    #expect(await told(by: outbox) == [.accepted])
    outbox.releaseAcceptances()
    #expect(await told(by: outbox) == [.accepted])
  }

  @Test("at its end the outbox has all of them, and an abandoned one has none")
  func ends() async {
    let (finished, abandoned) = (Outbox(clock: HandClock().read), Outbox(clock: HandClock().read))
    for outbox in [finished, abandoned] { outbox.append([acceptance("a")]) }
    finished.finish()
    #expect(await finished.take()?.replies == [.accepted])
    abandoned.abandon()
    abandoned.releaseAcceptances()
    #expect(await abandoned.take() == nil)
  }
}
