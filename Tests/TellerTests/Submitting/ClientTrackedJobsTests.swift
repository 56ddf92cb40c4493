import JobModel
import JobTransport
import Testing
import TestSupport

@testable import AMQP
@testable import Teller

@Suite("What a client knows of its jobs")
struct ClientTrackedJobsTests {
  private let accepted = JobModel.Reply.Content.accepted
  private let succeeded = JobModel.Reply.Content.outcome(.succeeded(result: [1], contentType: nil))

  private func reply(_ job: TrackedJob, _ content: JobModel.Reply.Content) -> JobModel.Reply {
    JobModel.Reply(job: job.id.description, correlationID: job.id.description, content: content)
  }

  /// Waits for the job in a task of its own, and returns once it waits.
  private func waiting(for job: TrackedJob) async throws -> Task<Outcome?, any Error> {
    let task = Task { try await job.wait(for: .outcome) }
    try await eventually("the task waits", within: CoordinatorPart.patience) { job.hasWaiters }
    return task
  }

  @Test("every job that is waited for has its turn to be asked about")
  func turns() async throws {
    let jobs = TrackedJobs()
    let tracked = (0..<5).map { _ in jobs.job(JobID()) }
    for job in tracked { job.beginSubmitting() }
    let idle = jobs.job(JobID())
    var tasks: [Task<Outcome?, any Error>] = []
    for job in tracked { tasks.append(try await waiting(for: job)) }
    var asked: [JobID] = []
    for _ in 0..<5 { asked += jobs.takeOverdue(silentFor: .zero, atMost: 1) }
    #expect(Set(asked) == Set(tracked.map(\.id)))
    #expect(jobs.takeOverdue(silentFor: .seconds(60), atMost: 10).isEmpty)
    jobs.markAllOverdue()
    #expect(jobs.takeOverdue(silentFor: .seconds(60), atMost: 10).count == 5, "\(idle.id) is waited for by nobody")
    jobs.end(.closed)
    for task in tasks { await #expect(throws: TellerError.closed) { try await task.value } }
  }

  @Test("a job of whose end the coordinator does not tell is asked about all the time, once for all who wait for it")
  func polled() async throws {
    let jobs = TrackedJobs()
    let (elsewhere, ours, half) = (jobs.job(JobID()), jobs.job(JobID()), jobs.job(JobID()))
    ours.beginSubmitting(toldOf: .outcome)
    half.beginSubmitting(toldOf: .acceptance)
    #expect(jobs.polled.isEmpty)
    let join = jobs.nextPoll
    var tasks: [Task<Outcome?, any Error>] = []
    for job in [elsewhere, elsewhere, ours, half] { tasks.append(try await waiting(for: job)) }
    #expect(jobs.polled == [elsewhere.id, half.id] && join.isFulfilled)
    #expect(jobs.takeOverdue(silentFor: .zero, atMost: 10) == [ours.id])
    jobs.interruptPolled(.closed)
    #expect(jobs.polled.isEmpty && ours.hasWaiters)
    jobs.end(.closed)
    for task in tasks { await #expect(throws: TellerError.closed) { try await task.value } }
  }

  @Test("handles of the same job share what is known, and a job without handles is forgotten")
  func sharing() async throws {
    let jobs = TrackedJobs()
    let id = JobID()
    var first: TrackedJob? = jobs.job(id)
    #expect(jobs.job(id) === first)
    if let job = first { jobs.receive(reply(job, succeeded)) }
    #expect(try await jobs.job(id).wait(for: .outcome)?.state == .succeeded)
    first = nil
    #expect(jobs.job(id).knowledge.outcome == nil)
  }

  @Test("a job whose key was taken is asked about as the one that has it, and gets its outcome")
  func originals() async throws {
    let jobs = TrackedJobs()
    let original = JobID()
    let (first, second) = (jobs.job(JobID()), jobs.job(JobID()))
    for job in [first, second] {
      job.beginSubmitting()
      jobs.receive(
        JobModel.Reply(job: original.description, correlationID: job.id.description, content: .duplicate))
      _ = try await job.wait(for: .acceptance)
      #expect(job.knowledge.duplicateOf == original)
    }
    let tasks = [try await waiting(for: first), try await waiting(for: second)]
    #expect(jobs.takeOverdue(silentFor: .zero, atMost: 10) == [original], "once for both")
    jobs.learn(original, outcome: .succeeded(result: [1], contentType: nil))
    for task in tasks { #expect(try await task.value?.state == .succeeded) }
  }

  @Test("a repetition of the same id stands for itself, and a job that is forgotten follows nobody")
  func noOriginal() throws {
    let jobs = TrackedJobs()
    let (id, original) = (JobID(), JobID())
    var job: TrackedJob? = jobs.job(id)
    jobs.receive(JobModel.Reply(job: id.description, correlationID: id.description, content: .duplicate))
    #expect(job?.knowledge.duplicateOf == nil)
    jobs.receive(JobModel.Reply(job: original.description, correlationID: id.description, content: .duplicate))
    #expect(job?.recordedID == original)
    job = nil
    let again = jobs.job(id)
    jobs.learn(original, outcome: .succeeded(result: [1], contentType: nil))
    #expect(again.knowledge.outcome == nil)
  }

  @Test("what was decided is known by the reply; of a lost reply only what the coordinator says of the job")
  func decisions() throws {
    let jobs = TrackedJobs()
    let other = JobID()
    let failure = JobFailure(code: "too_late", message: "m")
    let cases: [(JobModel.Reply.Content, JobID?, DecidedPart?, SubmissionDecision)] = [
      (.accepted, nil, nil, SubmissionDecision(.accepted)),
      (.accepted, nil, DecidedPart(replaces: other), SubmissionDecision(.replaced, other: other)),
      (
        .accepted, nil, DecidedPart(state: .failed, failure: failure),
        SubmissionDecision(.accepted, state: .failed, failure: failure)
      ),
      (
        .duplicate, other, DecidedPart(state: .cancelled, isSameContent: false, failure: failure),
        SubmissionDecision(.duplicate, other: other, state: .cancelled, isSameContent: false, failure: failure)
      ),
      (.duplicate, nil, DecidedPart(state: .queued, isSameContent: true, isAgain: true), SubmissionDecision(.accepted)),
      // A coordinator that says no more.
      (.duplicate, other, nil, SubmissionDecision(.duplicate, other: other)),
    ]
    for (content, named, decided, expected) in cases {
      let job = jobs.job(JobID())
      job.beginSubmitting()
      #expect(job.knowledge.decided == nil)
      jobs.receive(
        JobModel.Reply(
          job: (named ?? job.id).description, correlationID: job.id.description, content: content, decided: decided))
      #expect(job.knowledge.decided == expected)
      #expect(expected.willRun == (expected.failure == nil))
    }
    let (lost, duplicate) = (jobs.job(JobID()), jobs.job(JobID()))
    for job in [lost, duplicate] { job.beginSubmitting() }
    jobs.learn(lost.id, outcome: .failed(failure))
    #expect(lost.knowledge.decided == SubmissionDecision(.accepted), "it was accepted, and has run")
    jobs.learn(duplicate.id, isDuplicateOf: other)
    jobs.learn(other, outcome: .failed(failure))
    #expect(
      duplicate.knowledge.decided
        == SubmissionDecision(.duplicate, other: other, state: .failed, failure: failure))
  }

  @Test("a job that was submitted takes no other content; a rejected one does")
  func contents() {
    let jobs = TrackedJobs()
    let job = jobs.job(JobID())
    #expect(job.takes(1) && job.takes(1) && !job.takes(2))
    jobs.receive(reply(job, .rejected(JobFailure(code: "bad_time", message: ""))))
    #expect(job.takes(2))
    job.beginSubmitting()
    #expect(!job.takes(1))
  }

  @Test("what was accepted is no duplicate by the answer to the same message when it was sent again")
  func acceptedItself() {
    let jobs = TrackedJobs()
    let (job, other) = (jobs.job(JobID()), JobID())
    jobs.receive(reply(job, accepted))
    jobs.receive(JobModel.Reply(job: other.description, correlationID: job.id.description, content: .duplicate))
    #expect(job.knowledge.duplicateOf == nil && job.recordedID == job.id)
  }

  @Test("a late rejection of a repetition does not undo acceptance, and an outcome never changes")
  func firstWordCounts() async throws {
    let jobs = TrackedJobs()
    let job = jobs.job(JobID())
    jobs.receive(reply(job, accepted))
    jobs.receive(reply(job, .rejected(JobFailure(code: "late", message: ""))))
    _ = try await job.wait(for: .acceptance)
    jobs.receive(reply(job, succeeded))
    jobs.receive(reply(job, .outcome(.failed(JobFailure(code: "late", message: "")))))
    #expect(try await job.wait(for: .outcome)?.state == .succeeded)
  }

  @Test("what was recorded is told to whoever waits for that, also of the job that has the key; no reply has it")
  func records() async throws {
    let jobs = TrackedJobs()
    let original = JobID()
    let job = jobs.job(JobID())
    job.beginSubmitting()
    let end = OneShot<TrackedJob.News>()
    _ = job.begin(.record) { end.fulfil($0) }
    jobs.receive(JobModel.Reply(job: original.description, correlationID: job.id.description, content: .duplicate))
    jobs.receive(reply(job, succeeded))
    #expect(job.hasWaiters && jobs.polled == [original])
    let record = CoordinatorPart.document(of: original, result: "{}")
    jobs.learn(original, outcome: record.outcome, record: record)
    #expect(try await end.value.record == record)
    #expect(!job.hasWaiters && jobs.polled.isEmpty)
  }

  @Test("a job that was accepted stands in no queue any more: when it is unknown then, that is told soon")
  func acceptedAndUnknown() async throws {
    let jobs = TrackedJobs()
    var timeouts = ClientTimeouts.quick
    (timeouts.request, timeouts.unknown) = (.zero, .seconds(3_600))
    let job = jobs.job(JobID())
    job.beginSubmitting()
    let task = Task { try await job.wait(for: .outcome) }
    try await eventually("the task waits", within: CoordinatorPart.patience) { job.hasWaiters }
    jobs.reportUnknown(job.id, timeouts: timeouts)
    jobs.receive(reply(job, accepted))
    jobs.reportUnknown(job.id, timeouts: timeouts)
    await #expect(throws: TellerError.unknownJob(job.id)) { try await task.value }
    let patient = jobs.job(JobID())
    patient.beginSubmitting()
    let other = Task { try await patient.wait(for: .outcome) }
    try await eventually("the task waits", within: CoordinatorPart.patience) { patient.hasWaiters }
    jobs.reportUnknown(patient.id, timeouts: timeouts)
    #expect(patient.hasWaiters, "it may still be in the submission queue")
    jobs.end(.closed)
    await #expect(throws: TellerError.closed) { try await other.value }
  }

  @Test("an answer that comes too late is the answer to an earlier question, and nothing to be told of")
  func lateAnswers() {
    let questions = OpenQuestions()
    let (id, _) = questions.begin()
    questions.end(id)
    #expect(questions.receive(delivery(id)))
    #expect(!questions.receive(delivery(JobID().description)))
  }

  private func delivery(_ correlationID: String) -> Delivery {
    Delivery(
      consumerTag: "", deliveryTag: 1, isRedelivered: false, exchange: "", routingKey: "",
      properties: MessageProperties(correlationID: correlationID), body: .bytes([]))
  }

  @Test("what is known of a batch that stopped half-way is said with what to do", arguments: [0, 3])
  func incomplete(submitted: Int) {
    let reason = TellerError.submissionsFull(waited: .seconds(1))
    let text = TellerError.incomplete(submitted: submitted, of: 1_000, reason: reason).description
    #expect(
      text.hasPrefix(submitted == 0 ? "none of the 1000 jobs is known" : "only the first 3 of 1000 jobs are known"))
    #expect(text.contains(reason.description) && text.hasSuffix("with the same ids"))
  }

  @Test("an interrupted wait throws, and the next one still gets its answer")
  func interruption() async throws {
    let jobs = TrackedJobs()
    let job = jobs.job(JobID())
    let interrupted = try await waiting(for: job)
    jobs.interruptAll(.noCoordinator(silentFor: .seconds(1)))
    await #expect(throws: TellerError.noCoordinator(silentFor: .seconds(1))) { try await interrupted.value }
    let patient = try await waiting(for: job)
    jobs.receive(reply(job, succeeded))
    #expect(try await patient.value?.state == .succeeded)
  }

  @Test("replies that are about nothing that is waited for change nothing")
  func strangers() {
    let jobs = TrackedJobs()
    jobs.receive(JobModel.Reply(job: nil, correlationID: nil, content: accepted))
    jobs.receive(JobModel.Reply(job: "no id", correlationID: "none either", content: accepted))
    jobs.receive(JobModel.Reply(job: JobID().description, correlationID: nil, content: accepted))
    #expect(jobs.takeOverdue(silentFor: .zero, atMost: 10).isEmpty)
  }
}
