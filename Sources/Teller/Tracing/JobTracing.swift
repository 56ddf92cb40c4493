import JobModel
import JobTransport
import Tracing

/// The spans of a job in its worker: `wait KIND`, from its acceptance to its first start, and `run KIND` for each attempt. They
/// are children of the span that submitted the job. Where nobody has traced the submission, each run is a trace of its own,
/// and the wait has no span.
struct JobTracing: Sendable {
  private let tracer: any Tracer
  private let instrument: any Instrument

  /// With the tracer that is bootstrapped now; nil: there is none.
  init?() {
    instrument = InstrumentationSystem.instrument
    tracer = InstrumentationSystem.tracer
    if instrument is NoOpInstrument { return nil }
  }

  /// Runs the body in the span of a run. The body's error, if there is one, is recorded in the span.
  func run<Value: Sendable>(
    _ job: JobInfo, acceptedAt: Timestamp?, _ body: () async -> (Value, failure: (any Error)?)
  ) async -> Value {
    var context = ServiceContext.topLevel
    instrument.extract(job.headers, into: &context, using: HeaderCarrier())
    // What a later attempt has waited for is not known here: a back-off, a snooze, its turn in the queue.
    if let acceptedAt, job.attempt == 1, !context.isEmpty { recordWait(tracer, job, since: acceptedAt, context) }
    return await run(tracer, job, context, body)
  }

  private func run<T: Tracer, Value: Sendable>(
    _ tracer: T, _ job: JobInfo, _ context: ServiceContext, _ body: () async -> (Value, failure: (any Error)?)
  ) async -> Value {
    let span = tracer.startSpan("run \(job.kind)", context: context, ofKind: .consumer)
    // A tracer that takes a sample drops the others: those need no attributes.
    if span.isRecording { span.updateAttributes { $0.add(JobTracing.attributes(of: job)) } }
    let (value, failure) = await ServiceContext.$current.withValue(span.context) { await body() }
    if let failure {
      span.recordError(failure)
      span.setStatus(SpanStatus(code: .error))
    }
    span.end()
    return value
  }

  private static func attributes(of job: JobInfo) -> SpanAttributes {
    [
      "messaging.system": "teller", "messaging.operation.name": "run",
      "messaging.destination.name": .string(job.department.name), "messaging.message.id": .string(job.id.description),
      "teller.job.kind": .string(job.kind.name), "teller.job.attempt": .int64(Int64(job.attempt)),
    ]
  }

  /// The coordinator's clock says when the job was accepted, and this machine's when it begins.
  private func recordWait<T: Tracer>(
    _ tracer: T, _ job: JobInfo, since acceptedAt: Timestamp, _ context: ServiceContext
  ) {
    let now = WallInstant(.now())
    let start = min(WallInstant(acceptedAt), now)
    let span = tracer.startSpan("wait \(job.kind)", context: context, ofKind: .internal, at: start)
    if span.isRecording { span.updateAttributes { $0.add(["messaging.message.id": .string(job.id.description)]) } }
    span.end(at: now)
  }
}

extension SpanAttributes {
  /// A tracer may have set some of its own. Mostly there are none, and nothing is copied.
  fileprivate mutating func add(_ attributes: SpanAttributes) {
    if isEmpty { self = attributes } else { merge(attributes) }
  }
}

private struct WallInstant: TracerInstant {
  let nanosecondsSinceEpoch: UInt64

  init(_ time: Timestamp) { nanosecondsSinceEpoch = UInt64(max(0, time.milliseconds)) * 1_000_000 }

  static func < (left: WallInstant, right: WallInstant) -> Bool {
    left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
  }
}
