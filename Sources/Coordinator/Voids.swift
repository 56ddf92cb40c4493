import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// What a void release keeps: a place in the window of its department.
struct VoidPlace: Sendable {
  let number: Int64
  /// Where its message is.
  let queue: JobQueue
  let priority: Priority
  let slot: Window.Slot
  /// For people.
  var since: Timestamp
  /// On the session's clock.
  var heldSince = SessionClock.now
  /// Of the job when the release became void; of an earlier release its own number.
  let token: Int
  /// Its message is in the queue, or will never be: what is still being published says nothing of an empty queue.
  var isSettled: Bool

  var department: Department { queue.department }
}

extension VoidPlace {
  /// The place of a job whose release becomes void.
  init(of job: LiveJob, slot: Window.Slot) {
    self.init(
      number: job.number, queue: job.queue, priority: job.priority, slot: slot, since: .now(),
      token: job.progress.token, isSettled: job.isConfirmed)
  }
}

extension Bookkeeper {
  /// The release of a job that has ended, or has another release: nobody is to start it any more, and who runs it is to
  /// stop. It keeps its place until nobody can have it.
  func makeVoid(
    _ release: ReleaseID, _ place: VoidPlace, _ turn: Turn
  ) throws {
    // One that was to be changed keeps what was learnt of its message.
    if !voids.jobEnded(release) {
      voids.add(release, .ended, token: place.token, isClaimed: claims.isClaimedByCoordinator(release))
    }
    remember(release, place)
    try turn.ledger.addVoid(
      VoidRecord(
        release: release, number: place.number, department: place.department, priority: place.priority,
        since: place.since, kind: place.queue.kind))
    turn.tell(.void(place.department, VoidChange(void: [release], ended: [release])))
  }

  /// Counts the place of a void release.
  func remember(_ release: ReleaseID, _ place: VoidPlace) {
    voidPlaces[release] = place
    voidBeside.move(from: nil, to: place.placeBeside)
    self[desk: place.department].countVoid(1)
  }

  /// Nobody can have it: its place is free, and the workers forget it.
  func forget(_ release: ReleaseID, _ turn: Turn) throws {
    guard let place = voidPlaces.removeValue(forKey: release) else { return }
    try turn.ledger.removeVoid(release)
    voidBeside.move(from: place.placeBeside, to: nil)
    self[desk: place.department].countVoid(-1)
    self[desk: place.department].give(place.slot, place.priority)
    unfilled.insert(place.department)
    turn.tell(.void(place.department, VoidChange(forgotten: [release])))
    try carryOut(claims.superseded(release), turn)
  }

  /// A worker had it fresh and did not start it. Of a current release that is news to a coordinator that began after it
  /// was made void: it claims the release, as one whose message is gone.
  func take(
    _ dropped: DroppedRelease, _ turn: Turn
  ) throws {
    switch voids.dropped(dropped.release) {
    case .forgotten: try forget(dropped.release, turn)
    case .change, .changeAndForget: try change(dropped.release, isGone: true, turn)
    case .ordinary:
      guard released[dropped.release.job]?.release == dropped.release else { return }
      try carryOut(claims.claimForCoordinator(dropped.release), turn)
    }
  }

  /// The void releases of these departments, for a worker's welcome; those whose job has ended are named twice.
  func voidReleases(of departments: [Department]) -> (void: [ReleaseID], ended: [ReleaseID]) {
    let named = Set(departments)
    let ended = voidPlaces.filter { named.contains($0.value.department) }.map(\.key)
    let changing = changes.keys.filter { release in
      released[release.job].map { named.contains($0.department) } ?? false
    }
    return (ended + changing, ended)
  }

  /// Tells all workers again what is void: what the last session told may not have arrived.
  func tellVoids(_ turn: Turn) {
    for (department, entries) in Dictionary(grouping: voidPlaces, by: \.value.department) {
      let releases = entries.map(\.key)
      turn.tell(.void(department, VoidChange(void: releases, ended: releases)))
    }
  }
}
