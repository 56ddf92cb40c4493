import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import Synchronization
import SystemSupport
import TestSupport
import Testing

/// SIGHUP to a coordinator: it reads teller.yaml again.
@Suite("A coordinator that reads its file again")
struct ReloadTests {
  /// Sends the signal, and waits for a line of the log that comes after it.
  private func reload(_ coordinator: RunningProcess, until text: String) async throws {
    let number = coordinator.nextLineNumber
    coordinator.signal(SIGHUP)
    try await coordinator.waitForLine(containing: text, since: number, within: TellerSystem.limit)
  }

  @Test("takes over a cap, and releases at once what it has room for")
  func cap() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 1}")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let jobs = try await system.submit(4, #"{"kind": "gate"}"#)
    try await system.expect(["running": 1, "held": 3, "cap": 1], of: "work")
    try system.configure(departments: "work: {cap: 3}")
    try await reload(coordinator, until: "teller.yaml: department work: cap 1 → 3")
    try await system.expect(["running": 3, "held": 1, "cap": 3], of: "work")
    try await reload(coordinator, until: "teller.yaml: nothing changes")
    try system.openGate()
    try await system.expectOneOutcomeEach(jobs)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("has a new department with its queue, and a new schedule, and keeps what needs a restart")
  func added() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    try system.configure(
      departments: "work: {}, other: {}, init: {}, post: {}",
      more: "schedules: {tick: {cron: '* * * * *', kind: effect, department: post, payload: {}}}\nhealth: 127.0.0.1:0\n"
    )
    let number = coordinator.nextLineNumber
    try await reload(coordinator, until: "teller.yaml: department post: new; schedule tick: new")
    for left in ["department init: ordered true → false", "health: none → 127.0.0.1:0"] {
      try await coordinator.waitForLine(
        containing: "needs a restart, and is left as it was: \(left)", since: number, within: TellerSystem.limit)
    }
    #expect(try await system.department("init")["ordered"] as? Bool == true)
    let worker = try await system.startWorker("post=1")
    let job = try await system.submitOne("effect", "--department", "post", "--payload", "{}")
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"])
    // Its minute comes.
    try await eventually("the schedule has fired", within: TellerSystem.longLimit, lastState: { system.logs }) {
      system.effects.contains { $0.job != job }
    }
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("keeps the jobs of a department that is removed, tells its worker, and goes on with them when it is back")
  func removed() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 1}, other: {}")
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let jobs = try await system.submit(2, #"{"kind": "gate"}"#)
    try await system.expect(["running": 1, "held": 1], of: "work")
    try system.configure(departments: "other: {}", more: "")
    // The kinds of the file belong to that department: that is wrong, and changes nothing.
    try await reload(coordinator, until: "nothing is changed: 13 mistakes in")
    let settings = "lease: 1h\ndepartments: {other: {}}\n"
    try Data(settings.utf8).write(to: system.folder.appending("teller.yaml"))
    try await reload(coordinator, until: "department work: removed")
    let warning = try await coordinator.waitForLine(
      containing: "a department is no longer in the configuration", within: TellerSystem.limit)
    for part in ["department=work", "jobs=2", "workers=1"] { #expect(warning.contains(part), "\(warning)") }
    try await system.expectHolds("department", of: jobs[1])
    try system.openGate()
    #expect(try await worker.waitForExit(within: TellerSystem.limit) != 0, "\(system.logs)")
    #expect(worker.lines.contains { $0.text.contains("the coordinator has no department \"work\"") })
    // It is known as long as it has jobs, also where a question finds none of them.
    for question in [["jobs", "--state", "cancelled"], ["jobs", "--state", "held"], ["failed"]] {
      let answer = try await system.run("teller", question + ["--department", "work"])
      #expect(answer.status == 0, "\(question): \(answer)")
    }
    let late = try await system.teller("submit", "gate", "--department", "work")
    #expect(late.status == 2 && late.errors.joined().contains("there is no department \"work\""), "\(late.errors)")
    try system.configure(departments: "work: {cap: 1}, other: {}")
    try await reload(coordinator, until: "department work: new")
    let another = try await system.startWorker("work=1")
    try await system.expectOneOutcomeEach(jobs)
    for process in [another, coordinator] { try await process.close() }
  }

  @Test(
    "leaves out a new department whose queue the broker refuses, serves the others on, and has it when the queue is gone"
  )
  func refused() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=1")
    let url = try BrokerURL(system.brokerURL)
    let stranger = try await Connection.open(url, options: .patient("stranger"))
    let queue = QueueDeclaration(Topology.queue(JobQueue("post")).name)  // without priorities
    try await stranger.declare(queue)
    await stranger.close()
    try system.configure(departments: "work: {cap: 7}, other: {}, init: {ordered: true}, post: {}, audit: {}")
    let number = coordinator.nextLineNumber
    try await reload(coordinator, until: "teller.yaml: department audit: new; department work: cap none → 7")
    let line = try await coordinator.waitForLine(
      containing: "a new department is left out, because the broker refuses its queue", since: number,
      within: TellerSystem.limit)
    for part in ["department=post", "queue=teller.department.post", "406"] { #expect(line.contains(part), "\(line)") }
    #expect(!coordinator.lines.dropFirst(number).contains { $0.text.contains("broker lost") }, "\(system.logs)")
    let job = try await system.submitOne("noop")
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"])
    // Also a coordinator that has lost the broker meanwhile serves all others.
    try await system.closeAllConnections()
    let next = try await system.submitOne("noop")
    #expect(try await system.outcomes(of: [next]) == [next: "succeeded"], "\(system.logs)")
    let other = try await Connection.open(url, options: .patient("stranger"))
    try await other.delete(queue: queue.name)
    await other.close()
    try await reload(coordinator, until: "teller.yaml: department post: new")
    let postal = try await system.startWorker("post=1")
    for process in [postal, worker, coordinator] { try await process.close() }
  }

  @Test("ends at SIGTERM, though its file is on a file system that hangs")
  func hangs() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let file = system.folder.appending("teller.yaml").path
    try FileManager.default.removeItem(atPath: file)
    #expect(mkfifo(file, 0o600) == 0)
    coordinator.signal(SIGHUP)
    // A pipe can be opened for writing once somebody reads it; nothing is written.
    let writing = Mutex<Int32>(-1)
    try await eventually("the coordinator reads its file", within: TellerSystem.limit) {
      writing.withLock { $0 = open(file, O_WRONLY | O_NONBLOCK) }
      return writing.withLock { $0 } >= 0
    }
    coordinator.signal(SIGTERM)
    #expect(try await coordinator.waitForExit(within: TellerSystem.limit) == 0, "\(system.logs)")
    writing.withLock { _ = close($0) }
  }

  @Test("changes nothing for a file with twelve mistakes, and logs each with its line")
  func mistakes() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 2}")
    let coordinator = try await system.startCoordinator()
    let file = system.folder.appending("teller.yaml")
    let wrong = "departments: {work: {cap: 7}}\n" + (1...12).map { "key\($0): 1\n" }.joined()
    try Data(wrong.utf8).write(to: file)
    let number = coordinator.nextLineNumber
    try await reload(coordinator, until: "nothing is changed: 12 mistakes in \(file.path)")
    let lines = coordinator.lines.dropFirst(number).map(\.text)
    for line in 2...13 {
      #expect(lines.contains { $0.contains("\(file.path):\(line): unknown key \"key\(line - 1)\"") }, "\(lines)")
    }
    try FileManager.default.removeItem(at: file)
    try await reload(coordinator, until: "\(file.path) cannot be read: there is no such file")
    try system.configure(departments: "work: {cap: 2}")
    try await reload(coordinator, until: "teller.yaml: nothing changes")
    try await system.expect(["cap": 2], of: "work")
    // A coordinator that starts says the same, and exits with 78.
    try Data(wrong.utf8).write(to: file)
    let refused = try await system.teller("coordinator")
    #expect(refused.status == 78 && refused.errors.count == 13)
    #expect(refused.errors.last == "teller: 12 mistakes in \(file.path)")
    try await coordinator.close()
  }

  @Test("loses no job and doubles none, while jobs flow, over ten reloads and a burst of them")
  func flow() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {window: 40}")
    let coordinator = try await system.startCoordinator()
    let workers = [try await system.startWorker("work=4"), try await system.startWorker("work=4")]
    let batch = try system.beginSubmitting(1_000, payload: #"{"ms": 5}"#)
    for round in 1...10 {
      try await eventually("jobs have run", within: TellerSystem.limit, lastState: { system.logs }) {
        system.effects.count >= round * 80
      }
      let department = round.isMultiple(of: 2) ? "work: {window: \(20 + round)}" : "work: {cap: \(3 + round)}"
      try system.configure(departments: department, kinds: ["effect": "attempts: \(round)"])
      try await reload(coordinator, until: "kind effect: attempts")
    }
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(batch.ids)
    system.expectSecondRunsOnly(after: [])
    try system.configure(departments: "work: {cap: 99}")
    for _ in 1...1_000 { coordinator.signal(SIGHUP) }
    try await system.expect(["cap": 99], of: "work")
    let reloads = coordinator.text(of: .standardError).filter { $0.contains("reloaded") }
    #expect(reloads.count < 500, "\(reloads.count)")
    for process in workers + [coordinator] { try await process.close() }
  }

  @Test("as a standby reads it, too, and serves by it when the other one has ended")
  func standby() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 1}")
    let first = try await system.startCoordinator()
    let second = try system.launch("teller", ["coordinator"])
    try await second.waitForLine(containing: "standby", within: TellerSystem.limit)
    try system.configure(departments: "work: {cap: 5}, post: {}")
    let change = "department post: new; department work: cap 1 → 5"
    try await reload(second, until: "\(change); this counts when this coordinator serves")
    try await system.expect(["cap": 1], of: "work")
    try await first.close()
    try await second.waitForLine(containing: "serving", within: TellerSystem.limit)
    try await system.expect(["cap": 5], of: "work")
    let worker = try await system.startWorker("post=1")
    for process in [worker, second] { try await process.close() }
  }

  @Test("as a standby on a copy of the ledger reads it, too")
  func standbyOnBroker() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {cap: 1}")
    let first = try await system.startCoordinator()
    let ledger = try await system.copyOfLedger()
    let second = try system.launch("teller", ["coordinator", "--ledger", ledger])
    try await second.waitForLine(containing: "standby", within: TellerSystem.limit)
    try system.configure(departments: "work: {cap: 5}")
    try await reload(second, until: "cap 1 → 5; this counts when this coordinator serves")
    try await first.close()
    try await second.waitForLine(containing: "reloaded", within: TellerSystem.limit)
    try await system.expect(["cap": 5], of: "work")
    try await second.close()
  }
}
