import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client that operates", .timeLimit(.minutes(10)))
struct ClientOperatingTests {
  private var patient: ClientTimeouts {
    var timeouts = ClientTimeouts.quick
    timeouts.request = CoordinatorPart.patience
    return timeouts
  }

  @Test("jobs that are named are cancelled, replayed and dropped, and each that is left as it is says why")
  func changes() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let (waiting, ended) = (JobID(), JobID())
    let (task, commands) = try await coordinator.obeyOperators(ended: [ended])
    let cancelled = try await client.cancel([waiting, ended, waiting])
    #expect(cancelled.changed == [waiting], "each once")
    #expect(cancelled.unchanged.map(\.job) == [ended])
    #expect(cancelled.unchanged.map(\.reason) == [.ended])
    let replayed = try await client.replay([waiting])
    #expect(replayed.replays == [waiting: CoordinatorPart.replay(of: waiting)])
    #expect(try await client.drop([waiting]).changed == [waiting])
    var told = commands.makeAsyncIterator()
    #expect(await told.next() == .cancel(JobSelection(jobs: [waiting, ended])))
    #expect(await told.next() == .replay(JobSelection(jobs: [waiting])))
    #expect(await told.next() == .drop(JobSelection(jobs: [waiting])))
    task.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a worker is told to drain by its name, and one that is not there is refused")
  func drain() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let (task, commands) = try await coordinator.obeyOperators()
    let drain = try await client.drain(worker: "desk-1")
    #expect((drain.id, drain.name, drain.running) == (WorkerID("w"), "desk-1", 3))
    #expect(drain.isNew && drain.isTold && !drain.isDraining && drain.silence == .milliseconds(800))
    let error = await #expect(throws: TellerError.self) { try await client.drain(worker: "nobody") }
    guard case .refused(let failure)? = error else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(failure.code == JobFailure.Code.noWorker)
    var told = commands.makeAsyncIterator()
    #expect(await told.next() == .drainWorker(DrainOrder(worker: "desk-1")))
    task.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("more jobs than one message may name are told in several, and answered as one")
  func portions() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let jobs = (0..<2_001).map { _ in JobID() }
    let (task, commands) = try await coordinator.obeyOperators()
    let changes = try await client.replay(jobs)
    #expect(changes.changed == jobs)
    #expect(jobs.map { changes.replays[$0] } == jobs.map(CoordinatorPart.replay))
    var told = commands.makeAsyncIterator()
    for count in [1_000, 1_000, 1] {
      guard case .replay(let selection)? = await told.next() else {
        Issue.record("no replay of \(count) jobs")
        return
      }
      #expect(selection.jobs?.count == count)
    }
    #expect(try await client.cancel([]) == JobChanges())
    task.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a group of jobs is named by its department, its kind, or as all there are, and its operation can be followed")
  func groups() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let questions = try await coordinator.answerQuestions()
    let (task, commands) = try await coordinator.obeyOperators()
    let operation = try await client.cancel(.department("loan"))
    #expect((operation.id, operation.action, operation.changed) == (7, .cancel, 5))
    #expect((operation.looked, operation.total, operation.finished) == (6, 10, nil))
    #expect(try await client.operation(operation.id) == operation)
    _ = try await client.cancel(.all)
    _ = try await client.replay(.kind("deposit"))
    _ = try await client.drop(.kind("deposit", in: "loan"))
    _ = try await client.acceptRestored(.all)
    _ = try await client.dropRestored(.kind("deposit", in: "loan"))
    _ = try await client.reset()
    var told = commands.makeAsyncIterator()
    #expect(await told.next() == .cancel(JobSelection(department: "loan")))
    guard case .cancel(let all)? = await told.next() else {
      Issue.record("nothing is cancelled")
      return
    }
    #expect(all.all == true)
    #expect(await told.next() == .replay(JobSelection(kind: "deposit")))
    #expect(await told.next() == .drop(JobSelection(department: "loan", kind: "deposit")))
    guard case .acceptRestored(let restored)? = await told.next() else {
      Issue.record("nothing is accepted")
      return
    }
    #expect(restored.all == true)
    #expect(await told.next() == .dropRestored(JobSelection(department: "loan", kind: "deposit")))
    #expect(await told.next() == .reset)
    let error = await #expect(throws: TellerError.self) { try await client.operation(8) }
    guard case .refused(let failure)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.code == "not_found")
    task.cancel()
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("departments are paused, resumed and resized, jobs are re-ranked, keys are freed")
  func departmentsAndKeys() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let (job, gone) = (JobID(), JobID())
    let (task, commands) = try await coordinator.obeyOperators(ended: [gone])
    let pause = try await client.pause("deposit")
    #expect(pause.isPaused && pause.isNew && pause.department == "deposit")
    #expect(try await !client.resume("deposit").isPaused)
    let worker = try #require(try await client.resize("deposit", tellers: 8, worker: "desk-1").workers.first)
    #expect((worker.name, worker.before, worker.tellers) == ("desk-1", 2, 8))
    #expect(try await client.rerank(job, priority: 9).priority == 9)
    #expect(try await client.rerank(job, rank: 3).rank == 3)
    let key = JobKey(kind: "deposit", key: "A-17")
    #expect(try await client.freeKey(key).wasTaken)
    #expect(try await client.resetKey(key).key == "A-17")
    #expect(try await client.resetKeys(of: "deposit").action == .resetKeys)
    var told = commands.makeAsyncIterator()
    #expect(await told.next() == .pause("deposit"))
    #expect(await told.next() == .resume("deposit"))
    #expect(await told.next() == .resize(ResizeOrder(department: "deposit", tellers: 8, worker: "desk-1")))
    #expect(await told.next() == .rerank(RerankOrder(job: job, priority: 9)))
    #expect(await told.next() == .rerank(RerankOrder(job: job, rank: 3)))
    #expect(await told.next() == .freeKey(KeyOrder(kind: "deposit", key: "A-17")))
    #expect(await told.next() == .resetKeys(KeyResetOrder(key)))
    #expect(await told.next() == .resetKeys(KeyResetOrder(allOf: "deposit")))
    await #expect(throws: TellerError.unknownJob(gone)) { try await client.rerank(gone, priority: 1) }
    let failure = JobFailure(code: "unknown_department", message: "there is no department lone")
    await #expect(throws: TellerError.refused(failure)) { try await client.pause("lone") }
    task.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("what was done without a command is noted, by the id and in the name of whoever has done it")
  func note() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let commands = try await coordinator.connection.consume(Topology.Queue.admin, options: ConsumeOptions(prefetch: 9))
    let (note, id) = (ActionNote("count_cash", department: "deposit", name: "till 3"), UUID())
    async let noted = client.note(note, by: OperatorName("ada"), id: id)
    let delivery = try #require(try await limited("the note") { await commands.nextBatch(atMost: 1)?.first })
    guard case .asked(.note(let told), let address) = AdminCodec.decode(delivery) else {
      Issue.record("\(delivery) is no note")
      return
    }
    #expect(told == note && AdminCodec.command(of: delivery) == id)
    let author = AdminCodec.author(of: delivery)
    #expect(author.by == OperatorName("ada"))
    try await coordinator.connection.publish(AnswerCodec.encode(note.action(by: author, at: .now()), to: address))
    let action = try await noted
    #expect(action.action == "count_cash" && action.name == "till 3" && action.by == OperatorName("ada"))
    await client.close()
    await coordinator.close()
  }

  @Test("a payload comes as it was submitted, and that of a job that is not known is told as such")
  func payload() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let (job, gone) = (JobID(), JobID())
    let (task, commands) = try await coordinator.obeyOperators(ended: [gone])
    #expect(try await client.payload(of: job) == CoordinatorPart.content)
    await #expect(throws: TellerError.unknownJob(gone)) { try await client.payload(of: gone) }
    var told = commands.makeAsyncIterator()
    #expect(await told.next() == .payload(job))
    task.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("the jobs of a scope are counted, and failed jobs by their error, part by part")
  func counts() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let questions = try await coordinator.answerQuestions()
    let count = try await client.count(.kind("letter", in: "deposit"), for: .replay)
    #expect((count.action, count.kind, count.department) == (.replay, "letter", "deposit"))
    #expect((count.jobs, count.failed, count.held) == (17, 17, 0))
    #expect(try await client.count(.all, for: .reset).kind == nil)
    var query = FailureQuery(kind: "letter")
    var failures = try await client.failures(query)
    #expect(failures.lines.map(\.jobs) == [3])
    while let next = failures.next {
      query.before = next
      failures.add(try await client.failures(query))
    }
    let line = try #require(failures.lines.first)
    #expect(failures.lines.count == 1 && line.jobs == 7 && line.kind == "letter")
    #expect(line.newest == Date(timeIntervalSince1970: 1_893_456_000) && line.example == CoordinatorPart.failed)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("what no coordinator would take is not sent")
  func invalid() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    for body in [
      { _ = try await client.rerank(JobID(), rank: 0) }, { _ = try await client.resize("x", tellers: -1) },
      { _ = try await client.note(ActionNote("cancel")) }, { _ = try await client.note(ActionNote("a", name: "")) },
      { _ = try await client.jobs(JobQuery(limit: 0)) }, { _ = try await client.jobs(JobQuery(key: "x")) },
      { _ = try await client.failures(FailureQuery(error: "")) },
      { _ = try await client.count(.all, for: JobOperation.Action(rawValue: "pause")) },
      { _ = try await client.count(.kind("x"), for: .reset) },
    ] {
      let error = await #expect(throws: TellerError.self) { try await body() }
      guard case .invalid? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    await client.close()
    await coordinator.close()
  }

  @Test("a job is explained, with the moment when its hold is lifted; one that is not known is told as such")
  func explain() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let (job, unknown) = (JobID(), JobID())
    let questions = try await coordinator.answerQuestions(pending: [job])
    let explanation = try await client.explain(job)
    #expect(explanation.job == job)
    #expect(explanation.state == .held)
    #expect(explanation.reasons.map(\.hold) == [.schedule])
    #expect(explanation.reasons.first?.until == Date(timeIntervalSince1970: 1_893_456_000))
    #expect(explanation.reasons.first?.jobs == [])
    await #expect(throws: TellerError.unknownJob(unknown)) { try await client.explain(unknown) }
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a report has its times as durations, and departments say whether they are paused and capped")
  func report() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client(timeouts: patient)
    let id = JobID()
    let questions = try await coordinator.answerQuestions(finished: [id: "{}"])
    let since = Date(timeIntervalSince1970: 1_893_456_000.25)
    let report = try await client.report(since: since, department: "loan")
    #expect(report.from == since)
    #expect(report.lines.map(\.department) == ["loan"])
    #expect(report.lines.first?.waited?.p90 == .milliseconds(2))
    #expect(report.lines.first?.ran == nil)
    #expect(try await client.report(plan: id).lines.map(\.succeeded) == [3])
    let department = try #require(try await client.status().departments.first)
    #expect(department.isPaused)
    #expect(department.cap == 3)
    let record = try await client.job(id)
    #expect((record.key, record.timeout, record.isDropped) == ("A-17", .seconds(30), false))
    questions.cancel()
    await client.close()
    await coordinator.close()
  }
}
