import AMQP
import TestSupport
import Testing

@testable import JobTransport

@Suite struct RecoveryTests {
  private let start = ContinuousClock.now
  private let unreachable = BrokerLoss.notOpened(.cannotConnect(host: "h", port: 1, reason: "refused"))
  private let dropped = BrokerLoss.connection(.connectionLost(reason: "gone"))

  @Test("waits double up to the longest, and at most half of each is left to chance")
  func backOff() {
    var random = SeededRandom(for: "back-off")
    var backOff = BackOff(first: .milliseconds(100), longest: .seconds(5))
    var full = Duration.milliseconds(100)
    for _ in 0..<200 {
      let wait = backOff.next(using: &random)
      #expect(wait >= full / 2 && wait <= full)
      full = min(full * 2, .seconds(5))
    }
    backOff.reset()
    #expect(backOff.next(using: &random) <= .milliseconds(100))
  }

  @Test("a broker that is away is tried again, and told of once")
  func away() {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil)
    for round in 0..<100 {
      let step = recovery.lost(unreachable, at: start + .seconds(round), using: &random)
      guard case .tryAgain(_, let announces) = step else {
        Issue.record("\(step)")
        return
      }
      #expect(announces == (round == 0))
    }
    #expect(recovery.opened(at: start + .seconds(120)) == .seconds(120))
  }

  @Test(
    "what is refused at the first connect ends the session, later it is tried again and told of",
    arguments: [
      AMQPError.accessRefused(reason: "wrong password"),
      .tlsFailed(host: "h", port: 5671, problem: .expired(certificate: "/CN=h", at: "2020-02-01T00:00:00Z")),
    ])
  func refusals(refused: AMQPError) {
    var random = SeededRandom(for: "recovery")
    var fresh = Recovery(backOff: BackOff(), giveUpAfter: nil)
    #expect(fresh.lost(.notOpened(refused), at: start, using: &random) == .giveUp)

    // Another node of the same broker may be in order.
    var first = Recovery(backOff: BackOff(), giveUpAfter: nil)
    let step = first.lost(.notOpened(refused), at: start, hasNext: true, using: &random)
    #expect(step == .tryAgain(after: .zero, announces: true))
    #expect(first.lost(.notOpened(refused), at: start, using: &random) == .giveUp)

    var used = Recovery(backOff: BackOff(), giveUpAfter: nil)
    #expect(used.opened(at: start) == nil)
    _ = used.lost(dropped, at: start, using: &random)
    for isNews in [true, false] {
      guard case .tryAgain(_, isNews) = used.lost(.notOpened(refused), at: start, using: &random) else {
        Issue.record("given up, or announced wrongly")
        return
      }
    }
  }

  @Test("where nobody listens, a session that is not to wait for that gives up soon, and never once it was connected")
  func nobodyListens() {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil, refusedLimit: .seconds(1))
    let refused = BrokerLoss.notOpened(.cannotConnect(host: "h", port: 1, reason: "refused"))
    func gaveUp(_ loss: BrokerLoss, at time: Duration, hasNext: Bool = false) -> Bool {
      recovery.lost(loss, at: start + time, hasNext: hasNext, using: &random) == .giveUp
    }
    #expect(!gaveUp(refused, at: .zero))
    #expect(!gaveUp(.notOpened(.handshake(reason: "it is starting")), at: .seconds(2)))
    #expect(!gaveUp(refused, at: .seconds(2), hasNext: true), "another address may be right")
    #expect(gaveUp(refused, at: .seconds(2)))
    _ = recovery.opened(at: start)
    #expect(!gaveUp(dropped, at: .seconds(1)))
    #expect(!gaveUp(refused, at: .seconds(60)))
  }

  @Test("a request that is refused ends a young session, not one that was ready or has been stable")
  func refusedRequests() {
    var random = SeededRandom(for: "recovery")
    let mismatch = BrokerLoss.connection(.channelClosed(code: 406, text: "inequivalent arg"))
    var young = Recovery(backOff: BackOff(), giveUpAfter: nil)
    _ = young.opened(at: start)
    #expect(young.lost(mismatch, at: start + .seconds(1), using: &random) == .giveUp)

    var ready = Recovery(backOff: BackOff(), giveUpAfter: nil)
    _ = ready.opened(at: start)
    ready.becameReady()
    #expect(ready.lost(mismatch, at: start + .seconds(1), using: &random) != .giveUp)
    var next = Recovery(backOff: BackOff(), giveUpAfter: nil)
    next.becameReady()
    #expect(next.lost(.notOpened(.accessRefused(reason: "no user")), at: start, using: &random) != .giveUp)

    var stable = Recovery(backOff: BackOff(), giveUpAfter: nil)
    _ = stable.opened(at: start)
    #expect(stable.lost(mismatch, at: start + Recovery.stableAfter, using: &random) != .giveUp)
    _ = stable.opened(at: start + .seconds(60))
    #expect(stable.lost(mismatch, at: start + .seconds(61), using: &random) != .giveUp)
  }

  @Test("a refusal that ends every new connection is told of until the log ends with it, and again after a stable one")
  func repeatedRefusal() {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil)
    let missing = BrokerLoss.connection(.channelClosed(code: 404, text: "no queue"))
    var now = start
    for (lasted, isNews) in [(60, true), (1, true), (1, false), (1, false), (60, true), (1, true), (1, false)] {
      let toldOpening = !recovery.isRepeating
      _ = recovery.opened(at: now)
      now += .seconds(lasted)
      guard case .tryAgain(_, isNews) = recovery.lost(missing, at: now, using: &random) else {
        Issue.record("given up, or announced wrongly")
        return
      }
      #expect(isNews || !toldOpening, "the log ends with good news")
      #expect(recovery.isRepeating == (lasted == 1))
    }
    _ = recovery.lost(unreachable, at: now, using: &random)
    #expect(!recovery.isRepeating)
  }

  @Test(
    "what a limit or a permission of the broker refuses is tried again ever more slowly, and each round says why",
    arguments: [
      AMQPError.channelClosed(code: 406, text: "message size 200000 is larger than configured max size 131072"),
      .channelClosed(code: 403, text: "ACCESS_REFUSED - access to exchange 'teller.jobs' refused"),
    ])
  func refusedAgainAndAgain(refusal: AMQPError) {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil)
    recovery.becameReady()
    var longest = Duration.zero
    for _ in 0..<20 {
      _ = recovery.opened(at: start)
      guard case .tryAgain(let wait, true) = recovery.lost(.connection(refusal), at: start, using: &random) else {
        Issue.record("given up, or not announced")
        return
      }
      longest = max(longest, wait)
    }
    #expect(longest >= .seconds(5) && longest <= .seconds(10))
  }

  @Test("that another one has what is wanted is tried again, and told of until the log ends with it")
  func taken() {
    var random = SeededRandom(for: "recovery")
    let taken = BrokerLoss.connection(.channelClosed(code: 405, text: "the queue is another's"))
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil)
    for isNews in [true, true, false] {
      _ = recovery.opened(at: start)
      guard case .tryAgain(_, isNews) = recovery.lost(taken, at: start, using: &random) else {
        Issue.record("given up, or announced wrongly")
        return
      }
    }
  }

  @Test("a delivery tag that the broker does not know was damaged on its way: a new connection helps")
  func damagedTag() {
    let text = "PRECONDITION_FAILED - unknown delivery tag 288230376151711746"
    #expect(AMQPError.channelClosed(code: 406, text: text).isTransient)
    #expect(!AMQPError.channelClosed(code: 406, text: "PRECONDITION_FAILED - inequivalent arg").isTransient)
  }

  @Test("what this side cannot say is never tried again")
  func ownMistakes() {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil)
    _ = recovery.opened(at: start)
    _ = recovery.lost(dropped, at: start + .seconds(60), using: &random)
    #expect(recovery.lost(.connection(.invalid(reason: "r")), at: start + .seconds(61), using: &random) == .giveUp)
  }

  @Test("a broker that accepts and drops in turns is asked ever more slowly; a stable connection ends that")
  func flapping() {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: nil)
    var now = start
    var last = Duration.zero
    for _ in 0..<20 {
      _ = recovery.opened(at: now)
      guard case .tryAgain(let wait, _) = recovery.lost(dropped, at: now, using: &random) else { return }
      now += wait
      last = wait
    }
    #expect(last >= .seconds(1))
    _ = recovery.opened(at: now)
    guard case .tryAgain(let wait, _) = recovery.lost(dropped, at: now + Recovery.stableAfter, using: &random) else {
      Issue.record("given up")
      return
    }
    #expect(wait <= .milliseconds(100))
  }

  @Test("a session with a limit gives up when the outage reaches it, and each outage has the whole limit")
  func limit() {
    var random = SeededRandom(for: "recovery")
    var recovery = Recovery(backOff: BackOff(), giveUpAfter: .seconds(10))
    #expect(recovery.lost(unreachable, at: start, using: &random) != .giveUp)
    #expect(recovery.lost(unreachable, at: start + .seconds(9), using: &random) != .giveUp)
    _ = recovery.opened(at: start + .seconds(9))
    #expect(recovery.lost(dropped, at: start + .seconds(30), using: &random) != .giveUp)
    #expect(recovery.lost(unreachable, at: start + .seconds(40), using: &random) == .giveUp)
  }
}
