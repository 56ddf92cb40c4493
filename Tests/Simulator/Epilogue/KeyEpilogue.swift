import AuditSupport
import Bookkeeping
import Decisions
import Foundation
import JobModel
import JobTransport

// What is promised of keys: to whoever asks about one, and to whoever gives one back.
extension Epilogue {
  private func name(_ key: String) -> JobKey { JobKey(kind: "keyed", key: key) }

  /// A job with a key that outlasts it. Another one may have the key later.
  private func keyed(_ key: String, _ kind: JobKind = "keyed", _ script: Script? = nil) -> Submission {
    world.record.keysWhileLive.insert(key)
    var next = job(kind, script ?? Script(length: .milliseconds(10)))
    next.key = SubmissionKey(text: key, window: .lasting(.seconds(3_000)))
    return next
  }

  private func state(of job: JobID) throws -> Int? { try reading.states(of: [job])[job] }

  /// Gives a command, and waits for its answer. `id`: one that was given before by that id comes again.
  private func give(_ request: AdminRequest, _ id: UUID? = nil) async throws {
    client.command(request, id: id)
    try await wait(for: "the answer to \(request)") { !client.hasCommands }
  }

  /// Has a job with that key, which waits for an hour.
  private func hold(_ key: String) async throws -> JobID {
    var next = keyed(key)
    next.runAt = .within(.seconds(3_600))
    client.submit(next, Wanted(outcomes: [.cancelled]))
    let id = next.id
    try await wait(for: "a job that has the free key \(key)") { try state(of: id) == 0 }
    return id
  }

  private func takeBack(_ jobs: [JobID]) async throws {
    client.command(.cancel(JobSelection(jobs: jobs)))
    try await wait(for: "the end of jobs that are taken back") { client.isIdle }
  }

  // MARK: Questions

  /// How long a question about a key waits at most.
  private static let longestQuestion: Duration = .seconds(30)
  /// How much later than of the end of a job one hears of it as an answer about its key.
  private static let answer: Duration = .seconds(10)

  /// Whoever waits for the outcome of a key is told it with the end of the job; who asks later is told it at once; and
  /// nobody is told it twice.
  func answersAboutKeys() async throws {
    let (session, connection, asked) = (coordinator.session, client.connection, world.now)
    var told: KeyStatus?
    let question = KeyQuestion(name("asked"), limit: Epilogue.longestQuestion)
    guard client.ask(.key(question), then: { told = try? AnswerCodec.decode(KeyStatus.self, from: $0) }) else { return }
    try await world.run(until: world.now + .seconds(2))
    let next = keyed("asked")
    client.submit(next, Wanted())
    try await wait(for: "the end of a job about whose key somebody asks") { client.isIdle }
    let end = world.now
    let isUndisturbed = { coordinator.session == session && client.connection == connection }
    // A question that has waited for long enough by itself says nothing.
    guard end - asked < Epilogue.longestQuestion - .seconds(5), isUndisturbed() else { return }
    try await wait(for: "an answer about a key") { told != nil || !isUndisturbed() }
    guard isUndisturbed(), let status = told else { return }
    if status.job != next.id || status.outcome == nil || world.now - end > Epilogue.answer {
      fail("\(world.now - end) after the end of \(next.id) it is said of its key: \(status)")
    }
    client.ask(.key(KeyQuestion(name("asked"), limit: .seconds(2))))
    try await world.run(until: world.now + .seconds(5))
  }

  // MARK: Commands that come again

  /// A reset that comes again is the reset that was: it does nothing to a use of the key since then.
  func resetsKeysOnce() async throws {
    let (reset, id) = (AdminRequest.resetKeys(KeyResetOrder(name("reset"))), world.newID().uuid)
    let first = try await hold("reset")
    try await give(reset, id)
    try await wait(for: "the end of a job whose key is reset") { try state(of: first) == LedgerState.cancelled }
    let second = try await hold("reset")
    try await give(reset, id)
    if try state(of: second) != 0 { fail("a reset that comes again ends \(second), which has the key since then") }
    try await checkTaken("reset", by: second)
    try await takeBack([second])
  }

  /// A key that is given back by a command that comes again is not told of twice, and whoever has it by now keeps it.
  func freesKeysOnce() async throws {
    let (free, id) = (AdminRequest.freeKey(KeyOrder(kind: "keyed", key: "freed")), world.newID().uuid)
    let first = try await hold("freed")
    try await give(free, id)
    let second = try await hold("freed")
    try await give(free, id)
    try await checkTaken("freed", by: second)
    try await takeBack([first, second])
    try await world.run(until: world.now + .seconds(1))
    let told = toldFreed("freed")
    if told > 1 { fail("a key that was given back once is told \(told) times to be free") }
  }

  private func checkTaken(_ key: String, by job: JobID) async throws {
    guard coordinator.opened != nil, world.failures.isEmpty else { return }
    let status = try await books.keyStatus(name(key))
    if !status.isTaken || status.job != job { fail("\(job) has the key \(key), and it is said \(status)") }
  }

  /// How often the stream says that a key is free.
  private func toldFreed(_ key: String) -> Int {
    var places: Set<Int64> = []
    for message in world.broker.streams[Topology.Queue.notifications] ?? [] {
      guard case .recorded(let batch, _) = NotificationCodec.decode(ModelBroker.delivery(of: message, tag: 0, to: ""))
      else { continue }
      for notification in batch.notifications where notification.event == "key_freed" && notification.key == key {
        if let seq = notification.seq { places.insert(seq) }
      }
    }
    return places.count
  }

  // MARK: Rules

  /// With the key of a job all is reset that rules have made of what happened to it.
  func resetsChains() async throws {
    guard coordinator.configuration.rules.contains(where: { $0.name.name == "alert" }) else { return }
    try await give(.pause(Departments.work))
    var failing = keyed("chain", "hopeless", Script(length: .milliseconds(10), .hopeless))
    failing.department = Departments.capped
    let id = failing.id
    client.submit(failing, Wanted(outcomes: [.failed], mayBeReplayed: true))
    try await wait(for: "the end of a job that fails") { client.isIdle }
    try await wait(for: "what a rule makes of a failure") { try !reading.states(ofJobsCausedBy: id).isEmpty }
    try await give(.resetKeys(KeyResetOrder(JobKey(kind: "hopeless", key: "chain"))))
    try await wait(for: "the end of what rules have made of a job whose key is reset") {
      try reading.states(ofJobsCausedBy: id).allSatisfy { $0 == LedgerState.cancelled }
    }
    try await give(.resume(Departments.work))
  }
}
