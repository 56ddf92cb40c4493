import JobModel
/// Something that is to be done now and then.
struct Recurrence {
  var interval: Duration
  private var last: Duration

  init(every interval: Duration, since start: Duration = SessionClock.now) {
    self.interval = interval
    last = start
  }

  mutating func isDue(at now: Duration) -> Bool {
    guard now - last > interval else { return false }
    last = now
    return true
  }
}
