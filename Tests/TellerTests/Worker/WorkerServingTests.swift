import AMQP
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A worker that serves", .timeLimit(.minutes(10)))
struct WorkerServingTests {
  @Test("a fresh delivery runs at once, is reported, and acked when the report is confirmed")
  func wholeLife() async throws {
    try await withServingWorker(["deposit": 2], stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      #expect(worker.welcomed.tellers == ["deposit": 2])
      let assignment = peer.assignment()
      try await peer.release(assignment)
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      #expect(report.token == assignment.token)
      #expect(report.ledger == peer.ledger)
      #expect(report.worker == worker.id)
      #expect(report.startedAgo >= report.ran)
      #expect(
        report.result == .succeeded(result: Array(#"{"word":"one"}"#.utf8), contentType: "application/json"))
      try await peer.nothingInHand(of: worker.id)
      #expect(stage.entries == [.init(job: assignment.job, attempt: 1)])
    }
  }

  @Test("nothing is consumed before the welcome, and a welcome of another session is none")
  func welcome() async throws {
    let log = WorkerLog()
    try await withWorker(["deposit": 2], stage: WorkerStage(isOpen: true), log: log) { running, peer, stage in
      let assignment = peer.assignment()
      try await peer.release(assignment)
      let presence = try await peer.nextPresence("a worker asks for its welcome") { $0.ledger == nil }
      try await peer.welcome(presence, session: presence.session + 1)
      try await log.next(containing: "waiting for the coordinator's welcome")
      // The probe is behind the welcome that it must not take: with the echo, that has been read.
      try await peer.probe(1, presence.worker)
      for _ in 1...2 {
        let again = try await peer.nextPresence("it asks again") { $0.probe == 1 }
        #expect(again.ledger == nil)
      }
      #expect(log.messages.count { $0.contains("waiting") } == 1, "said once")
      #expect(try await peer.waiting(in: "deposit") == 1)
      #expect(stage.entries.isEmpty)
      try await running.ready(with: peer)
      #expect(try await peer.nextReport().release == assignment.release)
    }
  }

  @Test("a worker for a department that the coordinator does not have ends, and names it")
  func unknownDepartment() async throws {
    let peer = try await WorkerPeer.start()
    try await withWorker(at: peer.url, ["deposit": 1, "depsoit": 1]) { running in
      let presence = try await peer.nextPresence("a worker asks for its welcome") { $0.ledger == nil }
      try await peer.welcome(presence, unknown: ["depsoit"])
      await #expect(throws: WorkerError.unknownDepartments(["depsoit"])) { try await running.end() }
    }
    await peer.close()
  }

  @Test("a worker whose user may not serve its departments ends, and says why")
  func notAllowed() async throws {
    try await withWorker(stage: WorkerStage(isOpen: true)) { running, peer, _ in
      let presence = try await peer.nextPresence("a worker asks for its welcome") { $0.ledger == nil }
      let refusal = JobFailure(code: "not_allowed", message: "user \"shop\" is a producer")
      try await peer.welcome(presence, unknown: ["deposit"], refusal: refusal)
      await #expect(throws: WorkerError.notAllowed(refusal.message)) { try await running.end() }
    }
  }

  @Test("a worker that is refused for departments which it never named greets again, and serves")
  func damagedGreeting() async throws {
    try await withWorker(stage: WorkerStage(isOpen: true)) { running, peer, _ in
      let damaged = try await peer.nextPresence("a worker asks for its welcome") { $0.ledger == nil }
      let refusal = JobFailure(code: "not_allowed", message: "user \"shop\" is a producer")
      try await peer.welcome(damaged, unknown: ["depbsit"])
      try await peer.welcome(damaged, unknown: ["depbsit"], refusal: refusal)
      try await running.ready(with: peer)
    }
  }

  @Test("a wrong password ends the worker with the broker's words, without the password")
  func wrongPassword() async throws {
    let peer = try await WorkerPeer.start()
    var url = try BrokerURL(peer.url)
    url.password = "sesame"
    let text = "amqp://\(url.user):\(url.password)@\(url.host):\(url.port)/\(url.virtualHost)"
    try await withWorker(at: text) { running in
      let error = await #expect(throws: WorkerError.self) { try await running.end() }
      let words = try #require(error).description
      #expect(words.contains("the broker refuses: ACCESS_REFUSED"))
      #expect(!words.contains("sesame"))
    }
    await peer.close()
  }

  @Test("a worker that is started before any coordinator waits for one")
  func beforeTheCoordinator() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let log = WorkerLog()
    try await withWorker(at: url, log: log) { running in
      try await log.next(containing: "no coordinator has run there yet")
      let peer = try await WorkerPeer.start(at: url)
      try await running.ready(with: peer)
      try await log.next(containing: "ready: deposit=2")
      try await peer.release(peer.assignment())
      _ = try await peer.nextReport()
      await peer.close()
    }
  }

  @Test("what has no handler is given back, and what cannot be read fails its attempt, not for good")
  func withoutHandler() async throws {
    let log = WorkerLog()
    try await withServingWorker(["deposit": 2], stage: WorkerStage(isOpen: true), log: log) { worker, peer, _ in
      #expect(worker.welcomed.kinds == ["staged"])
      for attempts in [3, 1] {
        let unknown = peer.assignment("stagged", attempts: attempts)
        try await peer.release(unknown)
        #expect(try await peer.nextReturned().release == unknown.release, "not claimed before")
      }
      try await log.next(
        containing: "no handler for kind \"stagged\" in department deposit, only for staged; did you mean")
      #expect(log.messages.count { $0.contains("stagged") } == 1, "once for each kind")
      try await peer.release(peer.assignment(payload: "{}"))
      guard case .failed(let failure, isPermanent: false) = try await peer.nextReport().result else {
        Issue.record("a payload without its members did not fail, or for good")
        return
      }
      #expect(failure.code == "bad_payload")
      try await peer.nothingInHand(of: worker.id)
      #expect(try await peer.waiting(in: "deposit") == 0)
    }
  }

  @Test("a message that is no assignment is dropped, and the worker goes on")
  func unreadable() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, _ in
      let nonsense = Publishing(exchange: Topology.Exchange.jobs, routingKey: "deposit", body: [1, 2, 3])
      #expect(try await peer.connection.publish(nonsense) == .confirmed)
      let assignment = peer.assignment()
      try await peer.release(assignment)
      #expect(try await peer.nextReport().release == assignment.release)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("an assignment that cannot be read is claimed, and fails its attempt")
  func unreadableAssignment() async throws {
    try await withServingWorker(stage: WorkerStage(isOpen: true), left: 0) { worker, peer, stage in
      let assignment = peer.assignment()
      var message = AssignmentCodec.encode(assignment)
      message.properties.priority = 77
      #expect(try await peer.connection.publish(message) == .confirmed)
      let claim = try await peer.nextClaim()
      #expect(claim.release == assignment.release)
      try await peer.answer(claim, .run(token: 2, attempt: 1))
      let report = try await peer.nextReport()
      #expect(report.release == assignment.release)
      #expect(report.token == 2)
      guard case .failed(let failure, isPermanent: false) = report.result else {
        Issue.record("it did not fail, or for good: \(report.result)")
        return
      }
      #expect(failure.code == "unreadable")
      #expect(failure.message.contains("priority is above 9"))
      #expect(stage.entries.isEmpty)
      try await peer.nothingInHand(of: worker.id)
    }
  }

  @Test("a job that is still running after a moment is announced once, and listed in the presence until its report")
  func started() async throws {
    try await withServingWorker(["deposit": 2]) { worker, peer, stage in
      let assignment = peer.assignment()
      try await peer.release(assignment)
      let message = try await peer.nextPresenceMessage("a started message") {
        if case .started = $0 { true } else { false }
      }
      let expected = Started(
        worker: worker.id, release: assignment.release, token: 1, kind: "staged", department: "deposit",
        attempt: 1)
      #expect(message == .started(expected))
      for _ in 0..<2 {
        let next = try await peer.nextPresenceMessage("what follows") { _ in true }
        guard case .presence(let presence) = next else {
          Issue.record("announced twice: \(next)")
          return
        }
        #expect(presence.running == [RunningRelease(release: assignment.release, token: 1)])
      }
      stage.open()
      _ = try await peer.nextReport()
    }
  }

  @Test("no more run at once than there are tellers, in each department")
  func tellers() async throws {
    try await withServingWorker(["deposit": 2, "loan": 1]) { _, peer, stage in
      for _ in 0..<4 { try await peer.release(peer.assignment()) }
      for _ in 0..<3 { try await peer.release(peer.assignment(department: "loan")) }
      for _ in 0..<3 { _ = try await stage.nextEntry() }
      stage.open()
      for _ in 0..<7 { _ = try await peer.nextReport() }
      #expect(stage.entries.count == 7)
      #expect(stage.mostRunning == 3)
    }
  }

  @Test("a second copy of a job that runs keeps no teller from other jobs")
  func copies() async throws {
    try await withServingWorker(["deposit": 2]) { _, peer, stage in
      let assignment = peer.assignment()
      try await peer.release(assignment)
      _ = try await stage.nextEntry()
      var copy = assignment
      copy.mustClaim = true
      try await peer.release(copy)
      let other = peer.assignment()
      try await peer.release(other)
      #expect(try await stage.nextEntry().job == other.release.job)
      stage.open()
      let reports = [try await peer.nextReport().release, try await peer.nextReport().release]
      #expect(Set(reports) == [assignment.release, other.release])
    }
  }

  @Test("handlers that block their threads silence neither presence nor other departments")
  func blocking() async throws {
    let latch = WorkerLatch()
    let register: (Worker) -> Void = { $0.register(Stubborn(latch: latch)) }
    try await withServingWorker(
      ["deposit": 12, "loan": 1], stage: WorkerStage(isOpen: true), register: register
    ) { worker, peer, _ in
      for _ in 0..<12 { try await peer.release(peer.assignment("stubborn", payload: "{}")) }
      try await eventually("twelve handlers block", within: patience, lastState: { "\(latch.count)" }) {
        latch.count == 12
      }
      try await peer.probe(7, worker.id)
      let echo = try await peer.nextPresence("the probe's echo") { $0.probe == 7 }
      #expect(echo.running.count == 12)
      let other = peer.assignment(department: "loan")
      try await peer.release(other)
      #expect(try await peer.nextReport().release == other.release)
      latch.open()
      for _ in 0..<12 { _ = try await peer.nextReport() }
    }
  }
}
