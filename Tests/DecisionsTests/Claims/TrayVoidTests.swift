import Testing

@testable import Decisions
@testable import JobModel

@Suite("Tray: void releases and adoption")
struct TrayVoidTests {
  let release = ReleaseID(job: JobID(), number: 4)
  let other = ReleaseID(job: JobID(), number: 7)

  @Test("a void release that comes fresh is dropped, and acked when that is confirmed")
  func dropped() {
    var tray = Tray()
    #expect(tray.change(VoidChange(void: [release])) == Tray.VoidNews())
    #expect(tray.delivered(release, token: 4, tag: 9, mustClaim: false) == .drop(release))
    #expect(tray.dropping == [release])
    #expect(tray.listed == [])
    #expect(tray.count == 1)
    #expect(tray.reportConfirmed(release) == nil)
    #expect(tray.dropConfirmed(release) == 9)
    #expect(tray.isEmpty)
    #expect(tray.dropConfirmed(release) == nil)
    #expect(tray.void == [release])
  }

  @Test("a void release that must be claimed is claimed")
  func claimed() {
    var tray = Tray()
    _ = tray.setVoid([release], ended: [])
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true) == .claim(number: 1))
    #expect(tray.change(VoidChange(void: [release])) == Tray.VoidNews())
    #expect(tray.dropConfirmed(release) == nil)
    #expect(tray.answered(release, claim: 1, .drop) == .ack(1))
  }

  @Test("what runs is to be cancelled when its job has ended, and reported as usual")
  func running() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    #expect(
      tray.change(VoidChange(void: [other, release], ended: [other, release])) == Tray.VoidNews(cancelled: [release]))
    #expect(tray.listed.map(\.release) == [release])
    #expect(tray.setVoid([release], ended: [release]) == Tray.VoidNews(cancelled: [release]))
    tray.finished(release)
    #expect(tray.setVoid([release, other], ended: [release, other]) == Tray.VoidNews())
    #expect(tray.reportConfirmed(release) == 1)
  }

  @Test("what runs goes on when it is only to be released in another way")
  func runsOn() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    #expect(tray.change(VoidChange(void: [release])) == Tray.VoidNews())
    #expect(tray.setVoid([release], ended: []) == Tray.VoidNews())
    #expect(tray.listed.map(\.release) == [release])
  }

  @Test("a welcome's list replaces what was known, a change adds and takes away")
  func lists() {
    var tray = Tray()
    let third = ReleaseID(job: JobID(), number: 1)
    _ = tray.setVoid([release, other], ended: [])
    _ = tray.change(VoidChange(void: [third], forgotten: [release]))
    #expect(tray.void == [other, third])
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: false) == .start(release, token: 4))
    _ = tray.setVoid([release], ended: [])
    #expect(tray.void == [release])
  }

  @Test("a second copy of what is being dropped is acked")
  func copies() {
    var tray = Tray()
    _ = tray.setVoid([release], ended: [])
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    #expect(tray.delivered(release, token: 4, tag: 2, mustClaim: true) == .ack(2))
    #expect(tray.dropConfirmed(release) == 1)
  }

  @Test("a lost connection forgets drops: the release comes back and is claimed")
  func disconnected() {
    var tray = Tray()
    _ = tray.setVoid([release], ended: [])
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    tray.disconnected()
    #expect(tray.isEmpty)
    #expect(tray.void == [release])
    #expect(tray.dropConfirmed(release) == nil)
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true) == .claim(number: 1))
  }

  @Test("an adopted release is acked at once, and so is every copy of it")
  func adopted() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    #expect(tray.adopted(release) == 1)
    #expect(tray.isAdopted(release))
    #expect(tray.adopted(release) == nil)
    #expect(tray.listed == [RunningRelease(release: release, token: 4)])
    #expect(tray.delivered(release, token: 4, tag: 2, mustClaim: true) == .ack(2))
    tray.finished(release)
    #expect(tray.delivered(release, token: 4, tag: 3, mustClaim: true) == .ack(3))
    #expect(tray.reportConfirmed(release) == nil)
    #expect(tray.isEmpty)
    #expect(!tray.isAdopted(release))
  }

  @Test("an adoption that is recorded while the connection is lost acks the copy that comes back")
  func adoptedWhileLost() {
    var tray = Tray()
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: false)
    tray.disconnected()
    #expect(tray.adopted(release) == nil)
    #expect(tray.delivered(release, token: 4, tag: 1, mustClaim: true) == .ack(1))
    tray.disconnected()
    #expect(tray.isAdopted(release))
    #expect(tray.listed.map(\.release) == [release])
  }

  @Test("what does not run is not adopted")
  func notAdopted() {
    var tray = Tray()
    _ = tray.setVoid([other], ended: [])
    _ = tray.delivered(release, token: 4, tag: 1, mustClaim: true)
    _ = tray.delivered(other, token: 7, tag: 2, mustClaim: false)
    let before = tray
    #expect(tray.adopted(release) == nil)
    #expect(tray.adopted(other) == nil)
    #expect(tray == before)
  }
}
