import Testing

@testable import Decisions
@testable import JobModel

@Suite("Tray")
struct TrayTests {
  let release = ReleaseID(job: JobID(), number: 4)
  let other = ReleaseID(job: JobID(), number: 7)

  @Test("a fresh delivery starts at once, and its tag is acked when the report is confirmed")
  func fresh() {
    var tray = Tray()
    #expect(tray.delivered(release, token: 4, tag: 9, mustClaim: false) == .start(release, token: 4))
    #expect(tray.listed == [RunningRelease(release: release, token: 4)])
    #expect(tray.reportConfirmed(release) == nil)
    tray.finished(release)
    #expect(tray.running == [])
    #expect(tray.listed == [RunningRelease(release: release, token: 4)])
    #expect(tray.reportConfirmed(release) == 9)
    #expect(tray.isEmpty)
    #expect(tray.reportConfirmed(release) == nil)
  }

  @Test("a delivery that must be claimed starts with the token of its grant")
  func granted() {
    var tray = Tray()
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true) == .claim(number: 1))
    #expect(tray.listed == [])
    #expect(tray.openClaims.map(\.number) == [1])
    #expect(tray.count == 1)
    #expect(tray.answered(release, claim: 1, .run(token: 6, attempt: 2)) == .start(release, token: 6))
    #expect(tray.openClaims.isEmpty)
    #expect(tray.listed == [RunningRelease(release: release, token: 6)])
    tray.finished(release)
    #expect(tray.reportConfirmed(release) == 1)
  }

  @Test("a claim that is answered drop or elsewhere is acked and forgotten", arguments: [Verdict.drop, .elsewhere])
  func refused(_ verdict: Verdict) {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 3, mustClaim: true)
    #expect(tray.answered(release, claim: 1, verdict) == .ack(3))
    #expect(tray.isEmpty)
    #expect(tray.answered(release, claim: 1, .run(token: 6, attempt: 1)) == .ignored)
  }

  @Test("after a silence each open claim has a new number, and the answer to the old one is ignored")
  func renewed() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    _ = tray.delivered(other, token: 7, tag: 2, mustClaim: true)
    let renewed = tray.renewClaims()
    #expect(renewed.map(\.release) == [release, other] && renewed.map(\.number) == [3, 4])
    #expect(tray.openClaims.map(\.number) == [3, 4])
    #expect(tray.answered(release, claim: 1, .run(token: 6, attempt: 1)) == .ignored)
    #expect(tray.answered(release, claim: 3, .run(token: 8, attempt: 1)) == .start(release, token: 8))
    #expect(tray.renewClaims().map(\.number) == [5], "what runs runs on")
  }

  @Test("a second copy of what runs, or is being reported, is acked: one is enough to have it handed out again")
  func copies() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    #expect(tray.delivered(release, token: 4, tag: 2, mustClaim: true) == .ack(2))
    tray.finished(release)
    #expect(tray.delivered(release, token: 4, tag: 3, mustClaim: true) == .ack(3))
    #expect(tray.reportConfirmed(release) == 1)
  }

  @Test("after a lost connection what runs adopts the first copy, and a second one is acked")
  func adopted() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    tray.disconnected()
    #expect(tray.delivered(release, token: 4, tag: 5, mustClaim: true) == .adopted)
    #expect(tray.delivered(release, token: 4, tag: 6, mustClaim: true) == .ack(6))
    tray.finished(release)
    #expect(tray.reportConfirmed(release) == 5)
  }

  @Test("a second copy of what is being claimed is acked, even one that might run by itself")
  func joins() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    #expect(tray.delivered(release, token: 4, tag: 2, mustClaim: false) == .ack(2))
    #expect(tray.openClaims.count == 1)
    #expect(tray.answered(release, claim: 1, .elsewhere) == .ack(1))
  }

  @Test("a lost connection voids tags and claims, and keeps what runs")
  func disconnected() {
    var tray = Tray()
    let third = ReleaseID(job: JobID(), number: 1)
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    _ = tray.delivered(other, token: 7, tag: 2, mustClaim: true)
    _ = tray.delivered(third, token: 1, tag: 3, mustClaim: false)
    tray.finished(third)
    tray.probed(12)
    tray.disconnected()
    #expect(tray.probe == 0)
    #expect(tray.openClaims.isEmpty)
    #expect(Set(tray.listed.map(\.release)) == [release, third])
    #expect(tray.answered(other, claim: 1, .run(token: 8, attempt: 1)) == .ignored)
    #expect(tray.reportConfirmed(third) == nil)
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true) == .adopted)
    tray.finished(release)
    #expect(tray.reportConfirmed(release) == 1)
  }

  @Test("an answer to a claim of an earlier connection is ignored")
  func earlierClaim() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    tray.disconnected()
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true) == .claim(number: 2))
    #expect(tray.answered(release, claim: 1, .run(token: 5, attempt: 1)) == .ignored)
    #expect(tray.answered(release, claim: 2, .run(token: 6, attempt: 1)) == .start(release, token: 6))
    #expect(tray.answered(release, claim: 2, .elsewhere) == .ignored)
  }

  @Test("an answer from before the last probe may be of a coordinator that has died: it is asked anew, once")
  func lateAnswer() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    tray.probed(12)
    #expect(tray.answered(release, claim: 1, .run(token: 5, attempt: 1), number: 11) == .claim(number: 2))
    #expect(tray.openClaims.map(\.number) == [2])
    #expect(tray.answered(release, claim: 1, .run(token: 5, attempt: 1), number: 11) == .ignored)
    // Of another ledger, or one that was rolled back.
    #expect(tray.answered(release, claim: 2, .run(token: 6, attempt: 1), number: 3) == .start(release, token: 6))
  }

  @Test("an answer to the new number is asked anew, too, if another coordinator has probed meanwhile")
  func laterAnswer() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    tray.probed(12)
    #expect(tray.answered(release, claim: 1, .run(token: 5, attempt: 1), number: 11) == .claim(number: 2))
    tray.probed(20)
    #expect(tray.answered(release, claim: 2, .run(token: 6, attempt: 1), number: 13) == .claim(number: 3))
    // Lower numbers again: of a ledger that was rolled back. Its probes are no news.
    tray.probed(4)
    #expect(tray.answered(release, claim: 3, .run(token: 7, attempt: 1), number: 5) == .start(release, token: 7))
  }

  @Test("an answer behind the last probe is believed, and so is one of a new ledger")
  func presentAnswer() {
    var tray = Tray()
    for (release, tag) in [(release, UInt64(1)), (other, 2)] {
      _ = tray.delivered(release, token: 4, tag: tag, mustClaim: true)
    }
    tray.probed(12)
    #expect(tray.answered(release, claim: 1, .drop, number: 12) == .ack(1))
    tray.ledgerChanged()
    #expect(tray.probe == 0)
    #expect(tray.answered(other, claim: 2, .drop, number: 3) == .ack(2))
  }

  @Test("open claims are asked again in the order they were made")
  func order() {
    var tray = Tray()
    let releases = (1...20).map { ReleaseID(job: JobID(), number: $0) }
    for release in releases { _ = tray.delivered(release, token: 1, tag: 1, mustClaim: true) }
    #expect(tray.openClaims.map(\.release) == releases)
    #expect(tray.openClaims.map(\.number) == Array(1...20))
  }

  @Test("the echo is the highest probe read on this connection")
  func probes() {
    var tray = Tray()
    tray.probed(5)
    tray.probed(3)
    #expect(tray.probe == 5)
    tray.disconnected()
    tray.probed(2)
    #expect(tray.probe == 2)
  }

  @Test("finishing what does not run changes nothing")
  func finishedUnknown() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    let before = tray
    tray.finished(release)
    tray.finished(other)
    #expect(tray == before)
  }

  @Test("what does not end is listed as stuck, until it does")
  func stuck() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    _ = tray.delivered(other, token: 7, tag: 2, mustClaim: true)
    tray.stuck(release)
    tray.stuck(other)
    #expect(tray.listed == [RunningRelease(release: release, token: 4, isStuck: true)])
    tray.disconnected()
    #expect(tray.listed == [RunningRelease(release: release, token: 4, isStuck: true)])
    tray.finished(release)
    #expect(tray.listed == [RunningRelease(release: release, token: 4)])
  }
}
