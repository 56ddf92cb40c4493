import JobModel
import Testing

@testable import Decisions

@Suite("What is released")
struct ReleasesTests {
  private let releases = Releases()

  private func release(_ queue: JobQueue = JobQueue("work"), at since: Duration = .zero, priority: Priority = 4)
    -> LiveJob
  {
    var progress = JobProgress(maxAttempts: 3)
    _ = progress.apply(.lifted)
    let job = Job(
      number: 1, id: JobID(), kind: "deposit", department: queue.department, priority: priority, progress: progress,
      acceptedAt: .noon)
    let live = LiveJob(
      job, WindowPlace(queue: queue, priority: priority, slot: .shared), standing: Standing(value: 0),
      releasedAt: .noon, since: since, releasePriority: priority)
    releases[job.id] = live
    return live
  }

  private func unheard(before limit: Duration = .seconds(100), named: Set<ReleaseID> = []) -> [Releases.Unheard] {
    releases.unheard(before: limit, named: named) { _ in false }
  }

  @Test("only what the broker has confirmed can be lost, and only if it is old and no worker has it")
  func lost() {
    let job = release()
    #expect(unheard().isEmpty, "it may be on its way")
    releases.confirmed([job.release])
    #expect(unheard().map(\.release) == [job.release])
    #expect(unheard(before: .zero).isEmpty)
    #expect(unheard(named: [job.release]).isEmpty)
  }

  @Test("a job counts as after a death for as long as it has one, in whichever way it is changed")
  func afterDeath() {
    var job = release()
    let other = release()
    #expect(releases.live.afterDeath.isEmpty)
    job.progress.deaths = 1
    releases[job.id] = job
    releases[other.id]?.progress.deaths = 1
    #expect(releases.live.afterDeath == [job.id, other.id])
    releases[other.id]?.progress.deaths = 0
    #expect(releases.live.afterDeath == [job.id])
    releases[job.id]?.isConfirmed = true
    #expect(releases.live.afterDeath == [job.id])
    releases[other.id]?.progress.blame = .alone
    #expect(releases.live.afterDeath == [job.id, other.id])
    releases[other.id]?.progress.blame = nil
    releases[job.id] = nil
    #expect(releases.live.afterDeath.isEmpty && releases.live.count == 1)
  }

  @Test(
    "a later release of the same level that a worker had fresh has overtaken it; one of a moment, level or queue has not"
  )
  func overtaken() {
    let early = release()
    releases.confirmed([early.release])
    releases.noteFresh(release(at: .seconds(50), priority: 5))
    releases.noteFresh(release(JobQueue("other"), at: .seconds(50)))
    releases.noteFresh(release(at: Releases.overtakingMargin))
    #expect(unheard().first?.isOvertaken == false)
    var unknown = release(at: .seconds(50))
    unknown.isLevelKnown = false
    releases.noteFresh(unknown)
    #expect(unheard().first?.isOvertaken == false)
    releases.noteFresh(release(at: Releases.overtakingMargin + .milliseconds(1)))
    #expect(unheard().first?.isOvertaken == true)
    releases.queueIsGone(JobQueue("work"))
    #expect(unheard().first?.isOvertaken == false)
  }

  @Test("what came out of a queue proves nothing of a release that may have gone back to it since")
  func goneBack() {
    let late = Releases.overtakingMargin * 5
    let early = release()
    releases.confirmed([early.release])
    releases.noteFresh(release(at: late))
    #expect(unheard().first?.isOvertaken == true)
    releases[early.id]?.claimedAt = late
    #expect(unheard().first?.isOvertaken == false, "a worker had it in hand, and may have given it back")
    releases[early.id]?.claimedAt = nil
    releases.connectionEnded(to: ["other"], at: late)
    #expect(unheard().first?.isOvertaken == true)
    releases.connectionEnded(to: ["work"], at: late)
    #expect(unheard().first?.isOvertaken == false, "a worker had it in hand, perhaps, when its connection ended")
    releases.noteFresh(release(at: late))
    #expect(unheard().first?.isOvertaken == false, "this one may have come out before")
    releases.noteFresh(release(at: late + .milliseconds(1)))
    #expect(unheard().first?.isOvertaken == true)
    _ = releases.beginSession(at: late * 1.5, lastTaken: 0)
    #expect(unheard().first?.isOvertaken == false, "all connections may have ended")
    releases.noteFresh(release(at: late * 1.5))
    #expect(unheard().first?.isOvertaken == false)
  }

  @Test("confirms are recorded once, and not of what is not known to be in its queue any more")
  func confirms() {
    let (first, second) = (release(), release())
    releases.confirmed([first.release, second.release, ReleaseID(job: first.id, number: 9)])
    releases.unconfirm([second])
    #expect(releases.takeConfirms().count == 1)
    #expect(releases.takeConfirms().isEmpty)
    #expect(releases[second.id]?.isConfirmed == false)
  }

  @Test("a run counts by the present token of its job, or of its void release")
  func counting() {
    let job = release()
    func counts(_ token: Int) -> Bool { releases.counts(RunningRelease(release: job.release, token: token)) }
    #expect(counts(job.progress.token))
    releases[job.id]?.progress.token += 1
    #expect(!counts(job.progress.token))
    releases.void.add(job.release, .ended, token: job.progress.token + 2)
    #expect(!counts(job.progress.token + 1))
    #expect(counts(job.progress.token + 2))
  }

  @Test("a new session publishes what is not confirmed, by acceptance, and says what was to be changed")
  func session() {
    let (first, second) = (release(), release())
    releases.confirmed([second.release])
    releases.void.add(second.release, .change, token: 1, change: .tooLate)
    let undone = releases.beginSession(at: .seconds(7), lastTaken: 5)
    #expect(undone.map(\.release) == [second.release])
    #expect(Array(releases.unpublished) == [first.release])
    #expect(!releases.void.contains(second.release))
    #expect(releases[first.id]?.since == .seconds(7))
    #expect(releases[first.id]?.progress.lastTaken == 5)
    #expect(releases.beginSession(at: .seconds(9), lastTaken: 5).isEmpty)
    #expect(releases[first.id]?.since == .seconds(7), "its age counts from the first session on")
  }
}
