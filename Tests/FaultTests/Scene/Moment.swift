import Dispatch

/// A moment of the machine's monotonic clock, which all its processes share: what happens in a worker can be put before or
/// after what happens in another one, and in the test.
struct Moment: Hashable, Comparable, Sendable {
  var nanoseconds: Int64

  /// This moment.
  static var now: Moment { Moment(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func - (later: Moment, earlier: Moment) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }

  static func + (moment: Moment, time: Duration) -> Moment {
    Moment(nanoseconds: moment.nanoseconds + Int64(time / .nanoseconds(1)))
  }
}
