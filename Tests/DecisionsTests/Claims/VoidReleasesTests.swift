import Testing

@testable import Decisions
@testable import JobModel

@Suite("Void releases")
struct VoidReleasesTests {
  let release = ReleaseID(job: JobID(), number: 4)
  let other = ReleaseID(job: JobID(), number: 7)

  /// A list with `release` in it.
  func list(_ purpose: VoidReleases.Purpose, token: Int = 4, isClaimed: Bool = false) -> VoidReleases {
    var list = VoidReleases()
    list.add(release, purpose, token: token, isClaimed: isClaimed)
    return list
  }

  @Test("what is learnt of a release that is not void changes nothing")
  func ordinary() {
    var list = list(.ended)
    #expect(list.claimConcluded(other) == .ordinary)
    #expect(list.ownClaimConcluded(other) == .ordinary)
    #expect(list.dropped(other) == .ordinary)
    #expect(list.reported(other, token: 7) == .ordinary)
    #expect(list.kept(other) == .ordinary)
    #expect(list.jobEnded(other) == false)
    list.messageGone(other)
    #expect(list == self.list(.ended))
  }

  @Test("a worker's claim and a drop take a release from the list, and let its job be changed")
  func taken() {
    for (purpose, step) in [(VoidReleases.Purpose.ended, VoidReleases.Step.forgotten), (.change, .changeAndForget)] {
      var list = list(purpose)
      #expect(list.claimConcluded(release) == step)
      #expect(!list.contains(release))
      #expect(list.claimConcluded(release) == .ordinary)
      list = self.list(purpose)
      #expect(list.dropped(release) == step)
      #expect(list.entries.isEmpty)
    }
  }

  @Test("the coordinator's own claim lets a job be changed, and its release stays void until its message is gone")
  func changed() {
    var list = list(.change)
    #expect(list.ownClaimConcluded(release) == .change)
    #expect(list.purpose(of: release) == .ended)
    #expect(list.ownClaimConcluded(release) == .ordinary)
    #expect(list.contains(release))
    list.messageGone(release)
    #expect(list.ownClaimConcluded(release) == .forgotten)
    #expect(!list.contains(release))
  }

  @Test("a message that is known to be gone is forgotten with the change")
  func gone() {
    var list = list(.change)
    list.messageGone(release)
    #expect(list.ownClaimConcluded(release) == .changeAndForget)
    list = self.list(.ended, isClaimed: true)
    #expect(list.ownClaimConcluded(release) == .forgotten)
  }

  @Test("a change that is cancelled does not let the claim that was made for it free the place")
  func cancelledChange() {
    var list = list(.change)
    #expect(list.jobEnded(release) == true)
    #expect(list.ownClaimConcluded(release) == .ordinary)
    #expect(list.purpose(of: release) == .ended)
    #expect(list.dropped(release) == .forgotten)
  }

  @Test("only a report with the current token takes a release from the list")
  func reported() {
    var list = list(.ended, token: 6)
    #expect(list.reported(release, token: 4) == .ordinary)
    #expect(list.reported(release, token: 5) == .ordinary)
    #expect(list.reported(release, token: 6) == .forgotten)
    #expect(list.entries.isEmpty)
    list = self.list(.change)
    #expect(list.reported(release, token: 4) == .forgotten)
  }

  @Test("a drop says nothing of a release that was granted to another worker since")
  func droppedGranted() {
    var list = list(.ended, token: 5)
    #expect(list.dropped(release) == .ordinary)
    #expect(list.contains(release))
    #expect(list.claimConcluded(release) == .forgotten)
  }

  @Test("what a worker runs is not changed, and what has ended stays void while it runs")
  func kept() {
    var list = list(.change)
    #expect(list.kept(release) == .forgotten)
    #expect(!list.contains(release))
    list = self.list(.ended)
    #expect(list.kept(release) == .ordinary)
    #expect(Array(list.entries.keys) == [release])
  }
}
