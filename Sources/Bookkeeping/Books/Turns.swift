import Decisions
import Foundation
package import JobModel
import JobTransport
package import Ledger
import Synchronization

// Every turn that there is, in the order of the flow; those of commands are in CommandTurns.swift.

extension Bookkeeper {
  /// The ledger's time.
  package var now: Timestamp { parts.time.now }
  /// The monotonic time of this process.
  package var monotonic: Duration { parts.time.monotonic }
}

// MARK: - Submissions

extension Bookkeeper {
  /// Accepts what can be accepted. What is returned has to be parked before its submission is acked.
  package func accept(_ batch: [Incoming]) throws(LedgerError) -> [Refusal] {
    try turn { try steps.submitting.accept(batch, $0) }
  }

  /// Accepts the submissions of a batch to which nothing is to be objected, ahead of their durable messages. All others, and
  /// what is wrong with them, are left to these.
  package func acceptEarly(_ batch: [Incoming]) throws(LedgerError) {
    let submissions = batch.filter(steps.submitting.mayAcceptEarly)
    if !submissions.isEmpty { try turn { try steps.submitting.acceptEarly(submissions, $0) } }
  }

  /// Releases as much as one more turn may, when one turn was not enough. To be called when everything that was decided
  /// is told: so a large window is filled at the pace of the broker.
  package nonisolated(nonsending) func fillMore() async throws(LedgerError) {
    // Mostly there is nothing to do: then nobody wakes the thread of the books.
    if isUnfilled.load(ordering: .relaxed) { try await fillOn() }
  }

  /// The same, on the thread of the books.
  package func fillOn() throws(LedgerError) {
    if !parts.departments.unfilled.isEmpty { try turn { _ in } }
  }

  /// The broker has these releases in their queues. The next turn takes that in.
  package nonisolated func confirmed(_ releases: [ReleaseID]) { confirms.add(releases) }

  /// Takes in what the broker has confirmed by now.
  func takeConfirms() {
    let confirmed = confirms.take()
    if !confirmed.isEmpty { parts.releases.confirmed(confirmed) }
  }

  /// Records what can wait: the confirms of releases, how far the stream has the notifications, and since when departments
  /// are busy.
  package func recordMarks() throws(LedgerError) {
    takeConfirms()
    let (confirmed, busy) = (parts.releases.takeConfirms(), parts.flows.busyToRecord(at: parts.time.now))
    guard !confirmed.isEmpty || parts.unsent.sentUpTo != nil || !busy.isEmpty else { return }
    try record { ledger in
      try ledger.markConfirmed(confirmed)
      for (department, since) in busy { try ledger.setBusy(department, since: since) }
    }
    parts.flows.noteRecorded(busy)
  }
}

// MARK: - Workers

extension Bookkeeper {
  package func vetted(_ messages: [ReportMessage], from users: [String?]) -> [ReportMessage] {
    vet { $0.vetted(messages, from: users) }
  }

  package func vetted(_ messages: [PresenceMessage], from users: [String?]) -> [PresenceMessage] {
    vet { $0.vetted(messages, from: users) }
  }

  private func vet<Messages>(_ body: (inout Vetting) -> Messages) -> Messages {
    var vetting = Vetting(configuration.access, parts.roster, parts.releases)
    defer { vetting.refused.forEach(parts.refusals.noteNotAllowed) }
    return body(&vetting)
  }

  /// Records a batch of reports, and answers the claims in it.
  ///
  /// - Returns: What has to be parked before its message is acked.
  package func record(_ batch: [ReportMessage]) throws(LedgerError) -> [Refusal] {
    if parts.recordedEarly.takeAlone(batch) { return [] }
    return try turn { try steps.recording.record(batch, $0) }
  }

  /// Records the reports of a batch that are certain to count, ahead of their durable messages. All others, and what is
  /// wrong with them, are left to these.
  package func recordEarly(_ batch: [ReportMessage], from users: [String?]) throws(LedgerError) {
    var vetting = Vetting(configuration.access, parts.roster, parts.releases)
    let reports = vetting.vetted(batch, from: users).compactMap(\.report).filter(steps.recording.mayRecordEarly)
    if reports.isEmpty { return }
    let recorded = try turn { try steps.recording.recordEarly(reports, $0) }
    parts.recordedEarly.note(recorded)
  }

  package func hear(_ batch: [PresenceMessage], at now: Duration) throws(LedgerError) {
    try turn { try steps.hearing.hear(batch, at: now, $0) }
  }

  /// The workers that are waited for.
  package var awaitedWorkers: Set<WorkerID> { Set(parts.roster.workers.keys) }

  /// Looks after workers whose lease has passed, and requests that have waited long enough. `isBlocked`: the broker
  /// takes nothing from publishers, so no worker can be heard.
  package func tick(at now: Duration, isBlocked: Bool) throws(LedgerError) {
    let roster = parts.roster
    parts.time.served.goOn(at: parts.time.now)
    parts.refusals.logSilent(at: now)
    // While the outbox is full, nobody listens, either.
    let isDeaf = isBlocked || signals.outbox.wasFull(for: Roster.presenceInterval, until: now)
    if isDeaf != roster.isPaused { isDeaf ? roster.pause(at: now) : roster.resume(at: now) }
    let expired = roster.tick(at: now)
    signals.outbox.append(parts.audience.polls.expire(at: now).map { .polled($0) })
    signals.outbox.append(parts.audience.keyPolls.expire(at: now).map { .keyPolled($0) })
    guard !expired.isEmpty else { return }
    try turn { turn in for worker in expired { try steps.takingBack.takeBack(from: worker, turn) } }
  }

  /// Whether the coordinator's own message is missing for so long that workers cannot be heard, either: for example
  /// because the broker is slow to answer a question on the same channel.
  package func isDeaf(_ signs: SignsOfLife, at now: Duration) -> Bool {
    signs.age(of: HealthPart.hearing, at: now).map { $0 > parts.roster.stallLimit } ?? true
  }

  /// Shares the workers' tellers out among the queues of their departments, and removes idle queues of kinds. This
  /// costs nothing while every worker knows every kind.
  package func shareTellers(at now: Duration) throws(LedgerError) {
    guard hasRoom, !parts.epoch.isQuiet, parts.departments.kindQueues.isSharingDue(at: now) else { return }
    try turn { turn in
      steps.staffing.shareOut(turn)
      try steps.staffing.closeIdleQueues(at: now, turn)
    }
  }

  /// The broker has removed the queue of a kind, with its messages.
  package func kindQueueIsGone(_ queue: JobQueue) throws(LedgerError) {
    try turn { turn in
      try steps.lost.queueIsRemoved(queue, turn)
      guard parts.departments[queue.department].unserved > 0 else { return }
      parts.search.look(for: queue.kind, in: queue.department)
    }
  }
}

// MARK: - Time

extension Bookkeeper {
  /// Notices when the wall clock was set to another time.
  package func watchClock() throws(LedgerError) {
    let machine = parts.time.machine
    guard parts.time.watch(machine) else { return }
    try record { ledger in
      try ledger.saveClock(parts.time.clock.record(at: machine))
      // A job that waits for a moment of the wall clock is due at another time of the ledger now.
      parts.dueTimes.setNextDue(try ledger.nextDue(lead: parts.time.clock.lead))
    }
  }

  /// Lifts the jobs that are due, fails those that come too late, and submits the jobs of schedules; nothing of that
  /// while the outbox is full. After a restore of the ledger, first holds what was due by then. `now` is the ledger's time.
  ///
  /// - Returns: whether there is more to do at once.
  @discardableResult
  package func lookAtClock(_ now: Timestamp) throws(LedgerError) -> Bool {
    guard hasRoom else { return false }
    let dueTimes = parts.dueTimes
    if dueTimes.restoring != nil {
      try turn { try steps.restoring.hold($0) }
      return true
    }
    if dueTimes.isDue(at: now) { try turn { try steps.dueJobs.lift(at: now, $0) } }
    if dueTimes.isTooLate(at: now), !parts.epoch.isQuiet { try turn { try steps.dueJobs.failTooLate(at: now, $0) } }
    let wall = parts.time.clock.wallTime(of: now)
    try fireSchedules(at: wall)
    try endQuiet(at: now)
    return dueTimes.isDue(at: now) || steps.schedules.goesOn(at: wall)
      || dueTimes.round.after != nil && !parts.epoch.isQuiet
  }

  /// `now` is the wall clock's.
  package func fireSchedules(at now: Timestamp) throws(LedgerError) {
    guard steps.schedules.isDue(at: now) else { return }
    let isSubmitted = try turn { try steps.schedules.fireDue(at: now, $0) }
    if isSubmitted { FaultPoint.reached("schedules.after-record") }
  }

  package func endQuiet(at now: Timestamp) throws(LedgerError) {
    guard let end = parts.epoch.quietUntil, end <= now else { return }
    try turn { _ in steps.sessions.endQuiet() }
  }

  /// Releases anew, on a higher level, jobs that have waited for long.
  package func ageReleases(at now: Timestamp) throws(LedgerError) {
    guard hasRoom, !parts.epoch.isQuiet else { return }
    takeConfirms()
    let overtaken = steps.releasing.ageing.overtaken(in: parts.releases, of: parts.departments, at: now) {
      let books = parts.departments[$0]
      return !books.isOrdered && !books.isPaused && books.gates.isEmpty && parts.roster.tellers(of: $0) > 0
    }
    guard !overtaken.isEmpty else { return }
    try turn { turn in
      for job in overtaken.prefix(Bookkeeper.ageingLimit) { steps.withdrawing.withdraw(job, for: .age, turn) }
    }
  }

  /// How many releases one turn withdraws because they have waited for long.
  package static let ageingLimit = 64

  /// Ends the jobs that wait for one that nobody has submitted for a long time.
  package func endUnknownDependencies() throws(LedgerError) {
    if hasRoom, parts.dependents.waitedFor.count > 0 { try turn { try steps.resolving.endUnknown($0) } }
  }

  /// Claims the releases that cannot be in their queues.
  package func lookForLost(in empty: Set<JobQueue>, olderThan age: Duration) throws(LedgerError) {
    guard hasRoom, !parts.epoch.isQuiet else { return }
    try turn { _ in steps.lost.claim(in: empty, olderThan: age) }
  }

  /// The queues in which something may be lost.
  package func suspectQueues(olderThan age: Duration) -> Set<JobQueue> {
    takeConfirms()
    return steps.lost.suspectedQueues(olderThan: age)
  }

  /// Begins to look for ended jobs that are to be removed.
  package func beginRetention() {
    parts.retaining.begin()
    signals.choresArrived.fire()
  }

  /// The time between two writes of the ledger when nothing else is to be recorded.
  package static let touchInterval: Duration = .seconds(3)

  /// Shows from time to time that the ledger can be written, by writing to it.
  package func touchLedger() throws(LedgerError) {
    if let age = board.age(of: HealthPart.ledger, at: parts.time.monotonic), age < Bookkeeper.touchInterval { return }
    try record { ledger in
      try ledger.touch()
      try ledger.saveClock(parts.time.clock.record(at: parts.time.machine))
    }
    board.renew(HealthPart.ledger, at: parts.time.monotonic)
  }
}

// MARK: - Chores

extension Bookkeeper {
  /// Whether there is work that takes more turns than one. `butUnpublished`: the unpublished releases have to wait.
  package func hasChores(butUnpublished: Bool) -> Bool {
    !parts.dependents.ended.isEmpty || !parts.operations.list.isEmpty || !parts.search.queues.isEmpty
      || parts.retaining.goesOn || parts.departments.isToFillOn
      || !butUnpublished && !parts.releases.unpublished.isEmpty
  }

  /// One turn of each chore.
  ///
  /// - Returns: whether there is more to do.
  package func doChores() throws(LedgerError) -> Bool {
    if !parts.releases.unpublished.isEmpty, !parts.epoch.isQuiet { try turn { try steps.releasing.publishAgain($0) } }
    if !parts.dependents.ended.isEmpty { try turn { try steps.resolving.resolveNext($0) } }
    if !parts.search.queues.isEmpty { try turn { try steps.holding.liftNext($0) } }
    // Also where no window has room: a suspect that was lifted waits for its turn, not for room.
    if parts.departments.isToFillOn { try turn { _ in parts.departments.takeUpFilling() } }
    if !parts.operations.list.isEmpty { try continueOperation() }
    if parts.retaining.goesOn { try turn { try parts.retaining.step($0) } }
    return hasChores(butUnpublished: parts.epoch.isQuiet)
  }

  /// The next step of the oldest command.
  package func continueOperation() throws(LedgerError) {
    if try turn({ try steps.operating.step($0) }) { FaultPoint.reached("operations.between-steps") }
  }
}
