import Metrics
import Synchronization

/// The values of one metric with one set of labels. They change from any thread, and cost no memory when they do.
protocol Series: AnyObject, Sendable {
  /// How many lines the series has.
  var lineCount: Int { get }

  func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText)
}

final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
  /// Apart from what is no whole number: so each increment of a counter is one addition.
  private let whole = Atomic<Int64>(0)
  private let part = AtomicDouble()

  var lineCount: Int { 1 }

  func increment(by amount: Int64) {
    if amount > 0 { whole.wrappingAdd(amount, ordering: .relaxed) }
  }

  func increment(by amount: Double) {
    if amount > 0, amount.isFinite { part.add(amount) }
  }

  func reset() {
    whole.store(0, ordering: .relaxed)
    part.value = 0
  }

  func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
    text.line(name, labels.text, Double(whole.load(ordering: .relaxed)) + part.value)
  }
}

final class GaugeSeries: Series, MeterHandler, RecorderHandler {
  private let content = AtomicDouble()

  var lineCount: Int { 1 }

  func set(_ value: Int64) { content.value = Double(value) }
  func set(_ value: Double) { content.value = value }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }
  func increment(by amount: Double) { content.add(amount) }
  func decrement(by amount: Double) { content.add(-amount) }

  func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
    text.line(name, labels.text, content.value)
  }
}

final class HistogramSeries: Series, RecorderHandler, TimerHandler {
  private struct Content {
    /// Of each bucket alone; the last one has what is above all bounds.
    var counts: [Int64]
    var sum = 0.0
  }

  private let bounds: [Double]
  private let content: Mutex<Content>

  init(_ bounds: [Double]) {
    self.bounds = bounds
    content = Mutex(Content(counts: [Int64](repeating: 0, count: bounds.count + 1)))
  }

  /// The buckets, with the one of all values; the sum; the count.
  var lineCount: Int { bounds.count + 3 }

  func record(_ value: Int64) { record(Double(value)) }

  /// What is no finite number is passed over: the sum would be none any more, either.
  func record(_ value: Double) {
    guard value.isFinite else { return }
    let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
    content.withLock { content in
      content.counts[bucket] += 1
      content.sum += value
    }
  }

  func recordNanoseconds(_ duration: Int64) { record(Double(max(0, duration)) / 1e9) }

  func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
    let content = content.withLock { $0 }
    let before = labels.text.isEmpty ? "" : labels.text + ","
    var count: Int64 = 0
    for (bound, added) in zip(bounds + [.infinity], content.counts) {
      count += added
      text.line(name + "_bucket", "\(before)le=\"\(PrometheusText.number(bound))\"", Double(count))
    }
    text.line(name + "_sum", labels.text, content.sum)
    text.line(name + "_count", labels.text, Double(count))
  }
}

/// A number that any thread may add to.
private struct AtomicDouble: ~Copyable, Sendable {
  private let bits = Atomic<UInt64>(0)

  var value: Double {
    get { Double(bitPattern: bits.load(ordering: .relaxed)) }
    nonmutating set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }

  func add(_ amount: Double) {
    var old = bits.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (isExchanged, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if isExchanged { return }
      old = found
    }
  }
}
