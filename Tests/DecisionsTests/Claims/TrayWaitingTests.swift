import Testing

@testable import Decisions
@testable import JobModel

@Suite("Tray: releases that wait for a teller")
struct TrayWaitingTests {
  let release = ReleaseID(job: JobID(), number: 4)
  let other = ReleaseID(job: JobID(), number: 7)

  private func waiting(mustClaim: Bool = false) -> Tray {
    var tray = Tray()
    #expect(tray.delivered(release, token: 4, tag: 9, mustClaim: mustClaim, hasTeller: false) == .keep)
    return tray
  }

  @Test("a fresh delivery without a teller is listed as waiting, and starts without a claim when a teller is free")
  func starts() {
    var tray = waiting()
    #expect(tray.waiting == [WaitingRelease(release: release, token: 4)])
    #expect(tray.listed == [])
    #expect(tray.served(release) == .start(release, token: 4))
    #expect(tray.waiting == [])
    #expect(tray.listed == [RunningRelease(release: release, token: 4)])
    #expect(tray.served(release) == .ignored)
    tray.finished(release)
    #expect(tray.reportConfirmed(release) == 9)
  }

  @Test("one that must be claimed says so while it waits and until its claim is answered")
  func claims() {
    var tray = waiting(mustClaim: true)
    #expect(tray.waiting == [WaitingRelease(release: release, token: 4, mustClaim: true)])
    #expect(tray.openClaims.isEmpty)
    #expect(tray.served(release) == .claim(number: 1), "only when a teller is free")
    #expect(tray.waiting == [WaitingRelease(release: release, token: 4, mustClaim: true)], "its message is not lost")
    _ = tray.renewClaims()
    #expect(tray.waiting == [WaitingRelease(release: release, token: 4, mustClaim: true)], "whatever its number is")
    #expect(tray.answered(release, claim: 2, .run(token: 6, attempt: 2)) == .start(release, token: 6))
    #expect(tray.waiting == [])
  }

  @Test("a second copy of what waits is acked, and the first one is known by its tag")
  func copies() {
    var tray = waiting()
    #expect(tray.delivered(release, token: 4, tag: 10, mustClaim: true) == .ack(10))
    #expect(tray.isWaiting(release, tag: 9))
    #expect(!tray.isWaiting(release, tag: 10))
    #expect(!tray.isWaiting(other, tag: 9))
    #expect(tray.waiting.map(\.mustClaim) == [false])
  }

  @Test("what goes back to its queue is off the tray; another message of it changes nothing")
  func handedBack() {
    var tray = waiting()
    tray.handBack(release, tag: 10)
    #expect(tray.has(release))
    tray.handBack(release, tag: 9)
    #expect(tray.isEmpty)
    _ = tray.delivered(release, token: 4, tag: 11, mustClaim: false)
    tray.handBack(release, tag: 11)
    #expect(tray.running.map(\.release) == [release], "what runs stays")
  }

  @Test("what becomes void while it waits is dropped, by a change and by a welcome")
  func void() {
    var tray = waiting()
    #expect(tray.change(VoidChange(void: [other])) == Tray.VoidNews())
    #expect(tray.change(VoidChange(void: [release])) == Tray.VoidNews(dropped: [release]))
    #expect(tray.waiting.map(\.mustClaim) == [true], "until its `dropped` is confirmed: the job may go on all the same")
    #expect(tray.dropping == [release])
    #expect(tray.served(release) == .ignored)
    #expect(tray.dropConfirmed(release) == 9)
    #expect(tray.waiting == [])
    var again = waiting()
    #expect(again.setVoid([release, other], ended: [release]) == Tray.VoidNews(dropped: [release]))
    #expect(again.tag(of: release) == 9)
  }

  @Test("what is void and must be claimed is left to its claim")
  func voidClaim() {
    var tray = waiting(mustClaim: true)
    #expect(tray.change(VoidChange(void: [release], ended: [release])) == Tray.VoidNews())
    #expect(tray.served(release) == .claim(number: 1))
  }

  @Test("what is void, or has no handler here, does not wait for a teller")
  func unstartable() {
    var tray = Tray()
    _ = tray.setVoid([release], ended: [])
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: false, hasTeller: false) == .drop(release))
    let missing = tray.delivered(other, token: 7, tag: 2, mustClaim: false, hasHandler: false, hasTeller: false)
    #expect(missing == .giveBack(other))
    #expect(tray.waiting.map(\.mustClaim) == [true, true], "its `dropped`, or its `returned`, is on its way")
    #expect((tray.dropConfirmed(release), tray.dropConfirmed(other)) == (1, 2))
    #expect(tray.waiting == [])
  }

  @Test("a lost connection forgets what waits: its message comes again, and is claimed")
  func disconnected() {
    var tray = waiting()
    tray.disconnected()
    #expect(tray.isEmpty)
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true, hasTeller: false) == .keep)
    #expect(tray.served(release) == .claim(number: 1))
  }

  @Test("after another welcome, or a long silence, what waits is claimed: the coordinator may have released it again")
  func welcomed() {
    var tray = waiting()
    _ = tray.delivered(other, token: 7, tag: 2, mustClaim: false)
    tray.claimWaiting()
    #expect(tray.waiting == [WaitingRelease(release: release, token: 4, mustClaim: true)])
    #expect(tray.running.map(\.release) == [other], "what runs runs on")
    #expect(tray.served(release) == .claim(number: 1))
  }

  @Test("what waits is neither adopted nor stuck, and cannot end")
  func notBegun() {
    var tray = waiting()
    let before = tray
    #expect(tray.adopted(release) == nil)
    #expect(tray.stuck(release) == false)
    tray.finished(release)
    #expect(tray.reportConfirmed(release) == nil)
    #expect(tray.dropConfirmed(release) == nil)
    #expect(tray == before)
  }
}
