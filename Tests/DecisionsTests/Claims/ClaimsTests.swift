import Testing

@testable import Decisions
@testable import JobModel

@Suite("Claims")
struct ClaimsTests {
  let a = WorkerID("a")
  let b = WorkerID("b")
  let release = ReleaseID(job: JobID(), number: 1)

  func request(_ worker: WorkerID, _ number: Int = 1, of release: ReleaseID? = nil) -> ClaimRequest {
    ClaimRequest(release: release ?? self.release, ledger: LedgerID("l"), worker: worker, number: number)
  }

  /// Claims with two welcomed workers.
  func claims() -> Claims {
    var claims = Claims(firstNumber: 10)
    claims.welcome(a)
    claims.welcome(b)
    return claims
  }

  /// Claims in which worker a has asked and probe 10 is on its way.
  func probing() -> Claims {
    var claims = claims()
    #expect(claims.claim(request(a), isCurrent: true) == [])
    #expect(claims.flush() == [.probe(number: 10, to: [a, b])])
    return claims
  }

  @Test("a claim is granted after every worker has echoed and the fence has come back")
  func grant() {
    var claims = probing()
    #expect(claims.present(b, probe: 10, running: []) == [])
    #expect(claims.present(a, probe: 10, running: []) == [.fence(number: 11)])
    #expect(claims.openCount == 1)
    #expect(claims.fenceReturned(11) == [.grant(request(a))])
    #expect(claims.isEmpty)
    #expect(claims.flush() == [])
  }

  @Test("a claim of a release that is not current is dropped at once")
  func notCurrent() {
    var claims = claims()
    #expect(claims.claim(request(a), isCurrent: false) == [.answer(request(a), .drop)])
    #expect(claims.isEmpty)
  }

  @Test("a claim of a worker that is not welcomed is neither answered nor kept")
  func notWelcomed() {
    var claims = claims()
    #expect(claims.claim(request(WorkerID("c")), isCurrent: true) == [])
    #expect(claims.isEmpty)
    #expect(claims.flush() == [])
  }

  @Test("a release that another worker lists with the echo is answered elsewhere")
  func elsewhere() {
    var claims = probing()
    #expect(claims.present(b, probe: 10, running: [release]) == [.answer(request(a), .elsewhere)])
    #expect(claims.isEmpty)
    #expect(claims.present(a, probe: 10, running: []) == [])
  }

  @Test("a listing with an older echo does not answer a claim, and its worker is probed again")
  func oldListing() {
    var claims = probing()
    #expect(claims.present(b, probe: 9, running: [release]) == [.probe(number: 10, to: [b])])
    #expect(claims.openCount == 1)
    #expect(claims.lastKnown(of: b) == [release])
  }

  @Test("a worker that reconnects in the middle has to echo again")
  func reconnect() {
    var claims = probing()
    #expect(claims.present(b, probe: 10, running: []) == [])
    #expect(claims.present(b, probe: 0, running: []) == [.probe(number: 10, to: [b])])
    #expect(claims.present(a, probe: 10, running: []) == [])
    #expect(claims.isWaiting(for: b))
    #expect(claims.present(b, probe: 10, running: []) == [.fence(number: 11)])
  }

  @Test("a question that crossed its own answer is answered elsewhere, not granted a second time")
  func crossed() {
    var claims = probing()
    _ = claims.present(b, probe: 10, running: [])
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.fenceReturned(11) == [.grant(request(a))])
    #expect(claims.claim(request(a), isCurrent: true) == [])
    #expect(claims.flush() == [.probe(number: 12, to: [a, b])])
    #expect(claims.present(b, probe: 12, running: []) == [])
    #expect(claims.present(a, probe: 12, running: [release]) == [.answer(request(a), .elsewhere)])
  }

  @Test("asking again while a claim is open changes nothing")
  func askAgain() {
    var claims = probing()
    #expect(claims.claim(request(a), isCurrent: true) == [])
    #expect(claims.flush() == [])
    #expect(claims.openCount == 1)
  }

  @Test("a new claim number of the same worker replaces the old one and starts over")
  func newNumber() {
    var claims = probing()
    _ = claims.present(b, probe: 10, running: [])
    #expect(claims.claim(request(a, 2), isCurrent: true) == [])
    #expect(claims.openCount == 1)
    #expect(claims.flush() == [.probe(number: 11, to: [a, b])])
    #expect(claims.claim(request(a, 1), isCurrent: true) == [])
    #expect(claims.flush() == [])
    _ = claims.present(a, probe: 11, running: [])
    #expect(claims.present(b, probe: 11, running: []) == [.fence(number: 12)])
    #expect(claims.fenceReturned(12) == [.grant(request(a, 2))])
  }

  @Test("claims of one batch share a probe and a fence")
  func batch() {
    var claims = claims()
    let other = ReleaseID(job: JobID(), number: 3)
    _ = claims.claim(request(a), isCurrent: true)
    _ = claims.claim(request(b, 1, of: other), isCurrent: true)
    #expect(claims.flush() == [.probe(number: 10, to: [a, b])])
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.present(b, probe: 10, running: []) == [.fence(number: 11)])
    #expect(Set(claims.fenceReturned(11)) == [.grant(request(a)), .grant(request(b, 1, of: other))])
  }

  @Test("claims that come while a probe is out share the next one, however many batches they come in")
  func oneRound() {
    var claims = probing()
    let later = (1...5).map { ReleaseID(job: JobID(), number: $0) }
    for release in later {
      _ = claims.claim(request(b, 1, of: release), isCurrent: true)
      #expect(claims.flush() == [])
    }
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.present(b, probe: 10, running: []) == [.fence(number: 11)])
    #expect(claims.flush() == [.probe(number: 12, to: [a, b])])
    _ = claims.present(a, probe: 12, running: [])
    #expect(claims.present(b, probe: 12, running: []) == [.fence(number: 13)])
    #expect(claims.fenceReturned(11) == [.grant(request(a))])
    #expect(Set(claims.fenceReturned(13)) == Set(later.map { .grant(request(b, 1, of: $0)) }))
  }

  @Test("claims that wait for a probe that is out are probed when the worker it waited for is given up")
  func roundOfTheDead() {
    var claims = probing()
    let other = ReleaseID(job: JobID(), number: 3)
    _ = claims.claim(request(a, 1, of: other), isCurrent: true)
    #expect(claims.flush() == [])
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.leasePassed(b) == [.fence(number: 11)])
    #expect(claims.flush() == [.probe(number: 12, to: [a])])
  }

  @Test("the numbers of a later incarnation are above those before it, also when an epoch has had more than a million")
  func incarnations() {
    for incarnation in [1, 2, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 1 << 24] {
      let first = Claims.firstNumber(epoch: 1, incarnation: incarnation)
      #expect(first < Claims.firstNumber(epoch: 1, incarnation: incarnation + 1))
    }
    #expect(Claims.firstNumber(epoch: 1, incarnation: 1_000_000) < Claims.firstNumber(epoch: 2, incarnation: 1))
    #expect(Claims.firstNumber(epoch: JobProgress.lastEpoch, incarnation: 1_000_000) > 0)
  }

  @Test("a grant makes the other claims of the release start over, with a probe behind it")
  func oneGrant() {
    var claims = claims()
    _ = claims.claim(request(a), isCurrent: true)
    _ = claims.claim(request(b), isCurrent: true)
    _ = claims.flush()
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.present(b, probe: 10, running: []) == [.fence(number: 11)])
    #expect(claims.fenceReturned(11) == [.grant(request(a)), .probe(number: 12, to: [a, b])])
    #expect(claims.fenceReturned(11) == [])
    #expect(claims.present(a, probe: 12, running: [release]) == [.answer(request(b), .elsewhere)])
  }

  @Test("a fence that nobody waits for is ignored")
  func unknownFence() {
    var claims = probing()
    let before = claims
    #expect(claims.fenceReturned(3) == [])
    #expect(claims.fenceReturned(10) == [])
    #expect(claims == before)
  }

  @Test("a goodbye ends the wait for a worker and forgets its claims")
  func goodbye() {
    var claims = probing()
    _ = claims.claim(request(b), isCurrent: true)
    _ = claims.flush()
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.goodbye(b) == [.fence(number: 11)])
    #expect(claims.openCount == 1)
    #expect(claims.fenceReturned(11) == [.grant(request(a))])
  }

  @Test("a passed lease ends the wait until the worker is welcomed again")
  func leasePassed() {
    var claims = probing()
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.leasePassed(b) == [.fence(number: 11)])
    #expect(claims.welcomed == [a])
    #expect(claims.present(b, probe: 10, running: [release]) == [])
    #expect(claims.lastKnown(of: b) == [])
    claims.welcome(b)
    _ = claims.claim(request(b), isCurrent: true)
    #expect(claims.flush() == [.probe(number: 12, to: [a, b])])
  }

  @Test("a worker that is welcomed while a probe is out is waited for too")
  func welcomedLater() {
    var claims = probing()
    let c = WorkerID("c")
    claims.welcome(c)
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.present(b, probe: 10, running: []) == [])
    #expect(claims.present(c, probe: 0, running: []) == [.probe(number: 10, to: [c])])
    #expect(claims.present(c, probe: 10, running: []) == [.fence(number: 11)])
  }

  @Test("welcoming a worker again keeps what it listed")
  func welcomedTwice() {
    var claims = claims()
    _ = claims.present(a, probe: 0, running: [release])
    claims.welcome(a)
    #expect(claims.lastKnown(of: a) == [release])
  }

  @Test("a superseded release is dropped by all who asked for it")
  func superseded() {
    var claims = probing()
    _ = claims.claimForCoordinator(release)
    #expect(claims.superseded(release) == [.answer(request(a), .drop)])
    #expect(claims.isEmpty)
    #expect(claims.flush() == [])
    #expect(claims.present(a, probe: 10, running: []) == [])
    #expect(claims.present(b, probe: 10, running: []) == [])
  }

  @Test("the coordinator's own claim ends in a new release")
  func lost() {
    var claims = claims()
    #expect(claims.claimForCoordinator(release) == [])
    #expect(claims.claimForCoordinator(release) == [])
    #expect(claims.flush() == [.probe(number: 10, to: [a, b])])
    _ = claims.present(a, probe: 10, running: [])
    _ = claims.present(b, probe: 10, running: [])
    #expect(claims.fenceReturned(11) == [.releaseAnew(release)])
    #expect(claims.isEmpty)
  }

  @Test("a release that a worker claims is not lost: that claim is granted, in this round or in the next one")
  func claimedMeanwhile() {
    for isInTime in [true, false] {
      var claims = claims()
      _ = claims.claimForCoordinator(release)
      if isInTime { _ = claims.claim(request(b), isCurrent: true) }
      _ = claims.flush()
      _ = claims.present(a, probe: 10, running: [])
      _ = claims.present(b, probe: 10, running: [])
      if !isInTime { _ = claims.claim(request(b), isCurrent: true) }
      guard !isInTime else {
        #expect(claims.fenceReturned(11) == [.grant(request(b))])
        continue
      }
      #expect(claims.fenceReturned(11) == [.probe(number: 12, to: [a, b])])
      _ = claims.present(a, probe: 12, running: [])
      _ = claims.present(b, probe: 12, running: [])
      #expect(claims.fenceReturned(13) == [.grant(request(b))])
      #expect(claims.isEmpty)
    }
  }

  @Test("the claims of a connection that has ended are forgotten: their answers would be heard by nobody")
  func reconnected() {
    let other = ReleaseID(job: JobID(), number: 3)
    var claims = claims()
    _ = claims.claim(request(a), isCurrent: true)
    _ = claims.claim(request(b, of: other), isCurrent: true)
    _ = claims.claimForCoordinator(release)
    _ = claims.flush()
    claims.reconnected(a)
    _ = claims.present(a, probe: 10, running: [])
    _ = claims.present(b, probe: 10, running: [])
    let actions = claims.fenceReturned(11)
    #expect(Set(actions) == [.releaseAnew(release), .grant(request(b, of: other))])
    #expect(claims.isEmpty)
    // Asked anew on the new connection, even by the same number.
    _ = claims.claim(request(a), isCurrent: true)
    #expect(claims.flush() == [.probe(number: 12, to: [a, b])], "the worker is waited for as before")
  }

  @Test("the coordinator's own claim is given up when a worker lists the release")
  func notLost() {
    var claims = claims()
    _ = claims.claimForCoordinator(release)
    _ = claims.flush()
    #expect(claims.present(a, probe: 10, running: [release]) == [.keep(release)])
    #expect(claims.isEmpty)
  }

  @Test("without workers, the coordinator's own claim needs only the fence")
  func nobody() {
    var claims = Claims(firstNumber: 1)
    _ = claims.claimForCoordinator(release)
    #expect(claims.flush() == [.fence(number: 2)])
    #expect(claims.fenceReturned(2) == [.releaseAnew(release)])
  }

  @Test("thousands of claims of one batch are granted by two echoes and one fence")
  func many() {
    var claims = claims()
    let releases = (1...3_000).map { ReleaseID(job: JobID(), number: $0) }
    for (index, release) in releases.enumerated() {
      _ = claims.claim(request(index.isMultiple(of: 2) ? a : b, index, of: release), isCurrent: true)
    }
    #expect(claims.flush().count == 1)
    _ = claims.present(a, probe: 10, running: [])
    #expect(claims.present(b, probe: 10, running: releases.suffix(1_000)).count == 1_001)
    #expect(claims.fenceReturned(11).count == 2_000)
    #expect(claims.isEmpty)
  }
}
