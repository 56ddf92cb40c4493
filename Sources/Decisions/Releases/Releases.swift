package import DequeModule
package import JobModel

/// The jobs that are released and have not ended, and the void releases that keep a place; which of their messages the
/// broker is known to have, and which have to be published again.
package final class Releases {
  package var live = LiveJobs()
  package var void = VoidReleases()
  /// The releases that are not known to be in their queues: they are published again.
  package private(set) var unpublished: Deque<ReleaseID> = []
  /// The releases that the broker has confirmed, and of which the ledger does not know that yet.
  private var unrecordedConfirms: [ReleaseID] = []
  /// Per queue and level: when the latest release was made, on the session's clock, that a worker is known to have had
  /// fresh from the queue.
  private var freshest: [JobQueue: [Priority: Duration]] = [:]
  /// Per department: when a worker's connection ended last, on the session's clock.
  private var connectionsEnded: [Department: Duration] = [:]
  /// When the present session began, on the session's clock.
  package internal(set) var sessionBegan: Duration = .zero
  /// Whether the ages of what the ledger had released are counted from a session's beginning.
  private var isAgeCounted = false
  /// The changes that were asked for and are not made: the next session says so.
  private var undone: [(release: ReleaseID, change: Change)] = []

  package init() {}

  package subscript(job: JobID) -> LiveJob? {
    get { live[job] }
    set { live[job] = newValue }
    _modify { yield &live[job] }
  }

  /// Whether it matters which worker has a release: the release is current, or is void and keeps a place.
  package func matters(_ release: ReleaseID) -> Bool { live.isCurrent(release) || void.contains(release) }

  /// The department of a release that matters; nil of any other.
  package func department(of release: ReleaseID) -> Department? {
    live[release.job]?.department ?? void.place(of: release)?.department
  }

  /// Whether a worker has the release by the present token, that of its job or of its void place. A worker with an
  /// older token was given up: its run holds back no claim. A higher token is of a ledger that was rolled back, and
  /// counts.
  package func counts(_ running: RunningRelease) -> Bool {
    if let token = void.token(of: running.release) { return running.token >= token }
    guard let job = live[running.release] else { return true }
    return running.token >= job.progress.token
  }

  /// The jobs whose messages lie in a queue, as far as their workers have not acked them.
  package func jobs(in queue: JobQueue) -> [LiveJob] { live.values.filter { $0.queue == queue && $0.adoptedBy == nil } }

  /// How many messages may lie in each queue of these departments: those of jobs that are released, and of releases that
  /// are void, and keep their places until a worker has dropped them. Both need a teller.
  package func counts(of departments: Set<Department>) -> [JobQueue: Int] {
    var counts: [JobQueue: Int] = [:]
    for job in live.values where departments.contains(job.department) && job.adoptedBy == nil {
      counts[job.queue, default: 0] += 1
    }
    for (_, void) in void.places where departments.contains(void.department) {
      counts[void.place.queue, default: 0] += 1
    }
    return counts
  }
}

// MARK: - What the broker has

extension Releases {
  /// The broker has these releases in their queues.
  package func confirmed(_ releases: [ReleaseID]) {
    void.publishingIsOver(releases)
    for release in releases where live.confirm(release) { unrecordedConfirms.append(release) }
  }

  /// The confirms to be recorded. Most jobs have ended by then, and need no record.
  package func takeConfirms() -> [(number: Int64, release: Int)] {
    defer { unrecordedConfirms = [] }
    return unrecordedConfirms.compactMap { release in live.number(of: release).map { ($0, release.number) } }
  }

  package func publishLater(_ release: ReleaseID) { unpublished.append(release) }

  /// The releases of these departments that are not known to be in their queues are published again.
  package func publishLater(of departments: Set<Department>) {
    let waiting = Set(unpublished)
    let lost = live.values.filter { departments.contains($0.department) && !$0.isConfirmed }
    unpublished += lost.sorted { $0.number < $1.number }.map(\.release).filter { !waiting.contains($0) }
  }

  package func takeUnpublished() -> ReleaseID? { unpublished.popFirst() }

  /// The current release of a job has a new message, whatever became of the one before.
  package func publishedAgain(_ job: JobID, at now: Duration) {
    live[job]?.since = now
    live[job]?.isReturned = false
  }

  /// The messages of these jobs are gone, or may be: the ledger must know that, too.
  package func unconfirm(_ jobs: [LiveJob], isReturned: Bool = false) {
    let releases = Set(jobs.map(\.release))
    unrecordedConfirms.removeAll { releases.contains($0) }
    for job in jobs {
      live[job.id]?.isConfirmed = false
      if isReturned { live[job.id]?.isReturned = true }
    }
  }

  /// The release has been given back, and a worker runs it all the same: it has the message.
  package func returnedAndRun(_ release: ReleaseID) {
    guard live[release]?.isReturned == true else { return }
    live[release.job]?.isReturned = false
    live[release.job]?.isConfirmed = true
    unrecordedConfirms.append(release)
  }

  /// The queue was deleted with its messages: later releases prove nothing of earlier ones.
  package func queueIsGone(_ queue: JobQueue) { freshest[queue] = nil }

  /// A worker's connection to these departments has ended: what it had in hand goes back to the queues, and what came
  /// out of them meanwhile proves nothing.
  package func connectionEnded(to departments: Set<Department>, at now: Duration) {
    freshest = freshest.filter { !departments.contains($0.key.department) }
    for department in departments { connectionsEnded[department] = now }
  }
}

// MARK: - Sessions

extension Releases {
  /// Everything is read from the ledger anew: confirms that were not recorded are not known any more.
  package func forget() {
    undone += void.beginSession()
    (live, void) = (LiveJobs(), VoidReleases())
    (unpublished, unrecordedConfirms, freshest) = ([], [], [:])
    isAgeCounted = false
  }

  /// A release that is older than this process counts from the beginning of the first session.
  private func countAges(from now: Duration) {
    guard !isAgeCounted else { return }
    isAgeCounted = true
    for id in live.ids { live[id]?.since = now }
    void.age(from: now)
  }

  /// A new connection: each release that is not known to be in its queue is published again, in the order of
  /// acceptance.
  ///
  /// - Parameters:
  ///   - now: On the session's clock.
  ///   - lastTaken: No number up to this is given to a release.
  /// - Returns: What was to be changed, and is not.
  package func beginSession(at now: Duration, lastTaken: Int) -> [(release: ReleaseID, change: Change)] {
    sessionBegan = now
    (freshest, connectionsEnded) = ([:], [:])
    countAges(from: now)
    for id in live.ids { live[id]?.progress.lastTaken = lastTaken }
    unpublished = Deque(live.values.filter { !$0.isConfirmed }.sorted { $0.number < $1.number }.map(\.release))
    defer { undone = [] }
    return undone + void.beginSession()
  }
}

// MARK: - Releases that may be lost

extension Releases {
  /// How much later a release must have been made to prove that an earlier one is not in the queue: those of one moment
  /// are published side by side.
  package static let overtakingMargin: Duration = .seconds(10)

  /// A worker had a release fresh from its queue: within a level, all that were made long before it have left the
  /// queue. A release whose level is not known may have come from a higher level, and proves nothing. Nor does one that
  /// was made before a connection ended: it may have left the queue before the messages of that connection went back.
  package func noteFresh(_ job: LiveJob) {
    let settledSince = max(sessionBegan, connectionsEnded[job.department] ?? .zero)
    guard job.isLevelKnown, job.since > settledSince else { return }
    let latest = freshest[job.queue]?[job.releasePriority]
    if latest ?? job.since <= job.since { freshest[job.queue, default: [:]][job.releasePriority] = job.since }
  }

  /// A release that was made a while ago, and that no worker has named since by its present token.
  package struct Unheard: Hashable, Sendable {
    package var release: ReleaseID
    package var queue: JobQueue
    /// A later release of the same level came out of the queue: this one cannot be in it.
    package var isOvertaken: Bool
    /// A worker has adopted it: it has no message.
    package var isAdopted: Bool
  }

  /// The releases that were made before a moment of the session's clock, that no worker has claimed since, and that none
  /// has in hand (`named`). A job that is excused is left alone: its department is not configured.
  ///
  /// Nothing counts as unheard before the session is that old: after a cut the messages come back redelivered, and their
  /// workers claim them in their own time. A release that the coordinator claimed before them would be taken for one
  /// that is lost; and a grant whose answer was cut off, for a run that its worker's death has ended.
  ///
  /// This includes jobs that wait for a change and jobs that were given back: the coordinator's claim may have yielded to
  /// a worker's claim, and that worker may have died since.
  package func unheard(
    before limit: Duration, named: Set<ReleaseID>, butNot isExcused: (LiveJob) -> Bool
  ) -> [Unheard] {
    guard sessionBegan < limit else { return [] }
    let jobs = live.values.filter { job in
      (job.isConfirmed || job.isReturned) && job.lastSign < limit && !named.contains(job.release) && !isExcused(job)
    }
    let places = void.places.filter {
      $0.place.isPublishingOver && $0.place.heldSince < limit && !named.contains($0.release)
    }
    return jobs.map { unheard($0.release, $0.queue, $0.releasePriority, $0.lastSign) }
      + places.map { unheard($0.release, $0.place.place.queue, $0.place.place.priority, $0.place.heldSince) }
  }

  /// `time`: when the release was made, or a worker last named it; it may have given it back since.
  private func unheard(_ release: ReleaseID, _ queue: JobQueue, _ level: Priority, _ time: Duration) -> Unheard {
    let later = freshest[queue]?[level]
    let isOvertaken = later.map { $0 - Releases.overtakingMargin > time } ?? false
    return Unheard(
      release: release, queue: queue, isOvertaken: isOvertaken, isAdopted: live[release]?.adoptedBy != nil)
  }
}
