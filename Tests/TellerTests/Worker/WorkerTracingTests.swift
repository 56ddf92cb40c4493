import Foundation
import InMemoryTracing
import JobModel
import JobTransport
import Synchronization
import Testing
import TestSupport
import Tracing

@testable import Teller

/// Gives back the span that it runs in.
private struct Traced: JobHandler {
  static let kind: JobKind = "traced"
  func run(context: JobContext<NoResult>) async throws -> String {
    ServiceContext.current?.inMemorySpanContext?.spanID ?? "none"
  }
}

@Suite("Traces", .timeLimit(.minutes(10)))
struct WorkerTracingTests {
  /// A job as a client submits it in a span of that tracer.
  private func submission(_ tracer: InMemoryTracer) async throws -> Submission {
    try await withTracer(tracer) {
      try await withSpan("request") { _ in
        try await SubmissionTracing.run("traced", count: 1, job: nil) { headers in
          try JobSubmission(kind: "traced", payload: []).submission(replyQueue: "", ofTracer: headers)
        }
      }
    }
  }

  @Test("a request, its job's submission, the job's wait and its run are one trace; the handler is in it")
  func oneTrace() async throws {
    let tracer = InMemoryTracer()
    let submission = try await submission(tracer)
    var inside = ""
    try await withTracer(tracer) {
      try await withServingWorker(register: { $0.register(Traced()) }) { _, peer, _ in
        var assignment = peer.assignment("traced", payload: "")
        assignment.content = submission.content
        assignment.acceptedAt = .now() + .seconds(-2)
        try await peer.release(assignment)
        guard case .succeeded(let result, _) = try await peer.nextReport().result else {
          throw Unreadable("it failed")
        }
        inside = try JSONDecoder().decode(String.self, from: Data(result))
      }
    }
    let spans = tracer.finishedSpans
    let named = Dictionary(grouping: spans, by: \.operationName).mapValues { $0[0] }
    #expect(named.keys.sorted() == ["request", "run traced", "submit traced", "wait traced"])
    #expect(Set(spans.map(\.spanContext.traceID)).count == 1)
    let submit = try #require(named["submit traced"])
    #expect(submit.spanContext.parentSpanID == named["request"]?.spanContext.spanID)
    #expect(named["run traced"]?.spanContext.parentSpanID == submit.spanContext.spanID)
    #expect(named["wait traced"]?.spanContext.parentSpanID == submit.spanContext.spanID)
    #expect(inside == named["run traced"]?.spanContext.spanID)
    let wait = try #require(named["wait traced"])
    #expect(wait.endInstant.nanosecondsSinceEpoch - wait.startInstant.nanosecondsSinceEpoch >= 1_900_000_000)
  }

  @Test("the span of a run has the error of a failed attempt; a snooze is none", arguments: [true, false])
  func errors(fails: Bool) async throws {
    struct Ending: JobHandler {
      static let kind: JobKind = "ending"
      let error: any Error
      func run(context: JobContext<NoResult>) async throws -> NoResult { throw error }
    }
    let tracer = InMemoryTracer()
    let hooked = Mutex<[String?]>([])
    let error: any Error = fails ? JobFailure(code: "broken", message: "it broke") : JobSnooze(for: .seconds(1))
    try await withTracer(tracer) {
      let register: @Sendable (Worker) -> Void = { worker in
        worker.register(Ending(error: error))
        worker.onFailure { _ in
          hooked.withLock { $0.append(ServiceContext.current?.inMemorySpanContext?.spanID) }
        }
      }
      try await withServingWorker(register: register) { _, peer, _ in
        var assignment = peer.assignment("ending", payload: "")
        assignment.acceptedAt = .now()
        try await peer.release(assignment)
        _ = try await peer.nextReport()
      }
    }
    // The submission was not traced: the wait has no span, which would be a trace beside that of the run.
    #expect(tracer.finishedSpans.count == 1)
    // The hook's own calls belong to the trace of the attempt.
    #expect(hooked.withLock(\.self) == (fails ? [tracer.finishedSpans.first?.spanContext.spanID] : []))
    let run = try #require(tracer.finishedSpans.first)
    #expect(run.operationName == "run ending")
    #expect(run.errors.count == (fails ? 1 : 0))
    #expect((run.status?.code == .error) == fails)
    #expect(run.attributes["teller.job.attempt"]?.toSpanAttribute() == .int64(1))
  }

  @Test("a later attempt is in the trace of its submission, and has no wait: it has waited for its back-off")
  func laterAttempt() async throws {
    let tracer = InMemoryTracer()
    let submission = try await submission(tracer)
    try await withTracer(tracer) {
      try await withServingWorker(register: { $0.register(Traced()) }) { _, peer, _ in
        var assignment = peer.assignment("traced", payload: "")
        assignment.content = submission.content
        (assignment.acceptedAt, assignment.attempt) = (.now(), 2)
        try await peer.release(assignment)
        _ = try await peer.nextReport()
      }
    }
    let spans = tracer.finishedSpans
    #expect(spans.map(\.operationName).sorted() == ["request", "run traced", "submit traced"])
    #expect(Set(spans.map(\.spanContext.traceID)).count == 1)
  }

  @Test("without a tracer a submission has no headers of a trace")
  func untraced() async throws {
    let submission = try await SubmissionTracing.run("traced", count: 1, job: nil) { headers in
      try JobSubmission(kind: "traced", payload: []).submission(replyQueue: "", ofTracer: headers)
    }
    #expect(submission.content.allHeaders.isEmpty)
  }

  @Test("the submitter's own headers go with its job, and before those of the tracer; wrong ones are refused")
  func ownHeaders() throws {
    var job = JobSubmission(kind: "traced", payload: [])
    job.headers = ["tenant": "north", "traceparent": "mine"]
    let content = try job.submission(replyQueue: "", ofTracer: ["traceparent": "other", "baggage": "b"]).content
    #expect(content.headers == ["tenant": "north", "baggage": "b"])
    #expect(content.trace.traceparent == "mine")
    for name in ["teller-attempts", "CC", "x-death"] {
      job.headers = [name: "1"]
      #expect(throws: TellerError.self, "\(name)") { try job.submission(replyQueue: "") }
    }
    // What a tracer adds is left out where it does not fit: no request fails because of it.
    job.headers = ["tenant": "north"]
    let baggage = ["baggage": String(repeating: "x", count: 5_000), "traceparent": "00-a-b-01"]
    let fitting = try job.submission(replyQueue: "", ofTracer: baggage).content
    #expect(fitting.headers == ["tenant": "north"])
    #expect(fitting.trace.traceparent == "00-a-b-01")
    job.headers = ["big": String(repeating: "x", count: SubmittedHeaders.mostBytes)]
    #expect(throws: TellerError.self) { try job.submission(replyQueue: "") }
    job.headers = Dictionary(uniqueKeysWithValues: (0...SubmittedHeaders.most).map { ("h\($0)", "") })
    #expect(throws: TellerError.self) { try job.submission(replyQueue: "") }
  }
}
