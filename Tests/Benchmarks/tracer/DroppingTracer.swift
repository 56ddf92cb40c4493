import Synchronization
import Tracing

/// A tracer with the work of a real one inside the process: ids, attributes, events, a `traceparent` with each message. A
/// span that has ended is dropped, as if an exporter had taken it. An exporter's own work is not in it.
public enum Dropping {
  /// Makes it the tracer of this process.
  public static func bootstrap() { InstrumentationSystem.bootstrap(DroppingTracer()) }
}

struct DroppingTracer: Tracer {
  private static let header = "traceparent"

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> DroppedSpan {
    var context = context()
    context.ids = SpanIDs(childOf: context.ids)
    return DroppedSpan(operationName, context, startedAt: instant().nanosecondsSinceEpoch)
  }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let ids = context.ids else { return }
    injector.inject(ids.traceparent, forKey: DroppingTracer.header, into: &carrier)
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    let text = extractor.extract(key: DroppingTracer.header, from: carrier)
    context.ids = text.flatMap(SpanIDs.init(traceparent:))
  }

  func forceFlush() {}
}

final class DroppedSpan: Span {
  private struct State {
    var operationName: String
    var attributes: SpanAttributes = [:]
    var status: SpanStatus?
    var events: [SpanEvent] = []
    var links: [SpanLink] = []
    var endedAt: UInt64?
  }

  let context: ServiceContext
  private let startedAt: UInt64
  private let state: Mutex<State>

  init(_ operationName: String, _ context: ServiceContext, startedAt: UInt64) {
    self.context = context
    self.startedAt = startedAt
    state = Mutex(State(operationName: operationName))
  }

  var operationName: String {
    get { state.withLock { $0.operationName } }
    set { state.withLock { $0.operationName = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  var isRecording: Bool { state.withLock { $0.endedAt == nil } }

  func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }

  func addEvent(_ event: SpanEvent) { state.withLock { $0.events.append(event) } }

  func addLink(_ link: SpanLink) { state.withLock { $0.links.append(link) } }

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
  }

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let now = instant().nanosecondsSinceEpoch
    state.withLock { $0.endedAt = now }
  }
}
