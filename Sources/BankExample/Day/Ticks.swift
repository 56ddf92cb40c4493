import Dispatch

/// A timer.
enum Ticks {
  /// A tick every so often, until the task that reads them is cancelled; ticks that nobody reads in time are left out.
  static func every(_ interval: DispatchTimeInterval) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { ticks in
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + interval, repeating: interval)
      timer.setEventHandler { ticks.yield() }
      ticks.onTermination = { _ in timer.cancel() }
      timer.resume()
    }
  }
}
