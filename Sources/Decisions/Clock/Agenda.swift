package import JobModel

/// When each schedule fires next. Pure: a firing makes only the times of that schedule anew.
package struct Agenda: Hashable, Sendable {
  private struct Entry: Hashable {
    var schedule: CronSchedule
    /// Up to when its firings are done.
    var last: Timestamp
    var next: Timestamp
  }

  /// What is to be done for one schedule.
  package struct Firing: Hashable, Sendable {
    package var schedule: CronSchedule
    package var due: CronSchedule.Due
  }

  /// When a schedule is looked at again that does not fire within the years that are looked at.
  package static let pause: Duration = .seconds(86_400)

  /// By their next time.
  private var entries: [Entry] = []

  /// `last`: up to when the firings of each schedule are done; one that is missing there is not on the agenda.
  package init(_ schedules: [CronSchedule], since last: [String: Timestamp]) {
    for schedule in schedules {
      if let last = last[schedule.name] { insert(schedule, since: last, after: last) }
    }
  }

  /// When the first of them fires; nil: there is none.
  package var next: Timestamp? { entries.first?.next }

  /// Up to when the firings of a schedule are done.
  package func last(of name: String) -> Timestamp? { entries.first { $0.schedule.name == name }?.last }

  /// The schedules that have fired later than the clock shows: the clock was set back, and they would be silent until
  /// then.
  package func ahead(of now: Timestamp) -> [CronSchedule] {
    entries.filter { $0.last > now + CronSchedule.grace }.map(\.schedule)
  }

  /// What is to be done now: of the first schedules, up to the one with which there are `limit` firings or more.
  package func due(at now: Timestamp, limit: Int) -> [Firing] {
    var (firings, count): ([Firing], Int) = ([], 0)
    for entry in entries {
      guard entry.next <= now, count < limit else { break }
      let firing = Firing(schedule: entry.schedule, due: entry.schedule.due(since: entry.last, at: now))
      firings.append(firing)
      // To look for its firings costs something, too.
      count += max(1, firing.due.runs.count)
    }
    return firings
  }

  /// The firings were carried out.
  package mutating func done(_ firings: [Firing], at now: Timestamp) {
    for firing in firings { goOn(firing.schedule, since: firing.due.last, after: now) }
  }

  /// A schedule begins anew at a time.
  package mutating func begin(_ schedule: CronSchedule, at time: Timestamp) { goOn(schedule, since: time, after: time) }

  private mutating func goOn(_ schedule: CronSchedule, since last: Timestamp, after time: Timestamp) {
    entries.removeAll { $0.schedule.name == schedule.name }
    insert(schedule, since: last, after: time)
  }

  private mutating func insert(_ schedule: CronSchedule, since last: Timestamp, after time: Timestamp) {
    let next = schedule.expression.next(after: time, in: schedule.timeZone) ?? time + Agenda.pause
    let place = entries.firstIndex { $0.next > next } ?? entries.endIndex
    entries.insert(Entry(schedule: schedule, last: last, next: next), at: place)
  }
}
