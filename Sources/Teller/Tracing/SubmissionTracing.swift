import JobModel
import JobTransport
import Tracing

/// The span of a submission; its context goes with the jobs.
enum SubmissionTracing {
  /// Runs the body in a span `submit KIND`, with the headers that its jobs are to carry. Without a tracer there is neither a
  /// span nor a header.
  static func run<Value>(
    _ kind: String, count: Int, job: JobID?, _ body: (_ headers: [String: String]) async throws -> Value
  ) async throws -> Value {
    let instrument = InstrumentationSystem.instrument
    if instrument is NoOpInstrument { return try await body([:]) }
    return try await withSpan("submit \(kind)", ofKind: .producer) { span in
      span.updateAttributes { attributes in
        attributes["messaging.system"] = "teller"
        attributes["messaging.operation.name"] = "submit"
        attributes["messaging.batch.message_count"] = count
        attributes["messaging.message.id"] = job?.description
      }
      var headers: [String: String] = [:]
      instrument.inject(span.context, into: &headers, using: HeaderCarrier())
      return try await body(headers)
    }
  }
}

extension JobContent {
  /// Divides headers into the trace context, which has a place of its own, and the others. The submitter's own headers go
  /// before those of the tracer.
  mutating func add(own: [String: String], ofTracer: [String: String]) {
    let all = ofTracer.merging(own) { $1 }
    trace = TraceContext(traceparent: all[Header.traceparent], tracestate: all[Header.tracestate])
    headers = all.filter { $0.key != Header.traceparent && $0.key != Header.tracestate }
    // A tracer may carry more than goes with a job. No submission fails because of that.
    if SubmittedHeaders.problem(of: headers) != nil { headers = headers.filter { own[$0.key] != nil } }
  }
}
