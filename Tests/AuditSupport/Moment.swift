import Dispatch

/// A moment of the machine's monotonic clock, which all its processes share: what happens in a worker can be put before or
/// after what happens in another one, and in the test.
package struct Moment: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// This moment.
  package static var now: Moment { Moment(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  package static func - (later: Moment, earlier: Moment) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }

  package static func + (moment: Moment, time: Duration) -> Moment {
    Moment(nanoseconds: moment.nanoseconds + Int64(time / .nanoseconds(1)))
  }
}
