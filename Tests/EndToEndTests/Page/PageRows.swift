import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// What a page has to show: jobs, keys, plans, workers and messages of every sort, and hostile text wherever text may stand.
struct PageRows {
  let system: TellerSystem

  static let departments =
    "work: {}, other: {}, init: {ordered: true}, ranked: {ordered: true}, many: {}, victims: {}, listed: {}, behind: {}, "
    + "late: {}"
  /// What the configuration says of a kind beside its department.
  private static let kinds = ["fail": "retry: {first: 2h, max: 2h, jitter: 0}"]
  /// What stands in the configuration beside the departments and kinds.
  static let more = """
    plans:
      opening:
        department: init
        gates: [behind]
        steps:
          - {name: "\(hostile("step"))", rank: 10, kind: noop}
      night:
        department: init
        steps:
          - {name: lock, rank: 10, kind: noop}
        events:
          - {name: push, rank: 20, kind: noop, when_open: announce}
    schedules:
      nightly: {cron: "0 3 * * *", kind: noop}

    """

  /// A system on the broker that tests share; nothing is started yet.
  static func onSharedBroker() async throws -> PageRows {
    PageRows(
      system: try await TellerSystem.onSharedBroker(departments: departments, kinds: kinds, more: more))
  }

  /// Removes a department from teller.yaml, and waits until the coordinator has read the file again.
  func remove(_ department: String, from coordinator: RunningProcess) async throws {
    let left = Self.departments.split(separator: ", ").filter { !$0.hasPrefix("\(department): ") }
    try system.configure(departments: left.joined(separator: ", "), kinds: Self.kinds, more: Self.more)
    let number = coordinator.nextLineNumber
    coordinator.signal(SIGHUP)
    try await coordinator.waitForLine(
      containing: "department \(department): removed", since: number, within: TellerSystem.limit)
  }

  /// Text that would be an image with a handler, if the page took it for HTML. The handler would tell which field it was.
  static func hostile(_ field: String) -> String { "<img src=x onerror=stolen='\(field)'>" }

  /// Jobs of every sort that a screen has to show. The workers serve `work` and `other`.
  func fill() async throws -> [String: Any] {
    let failing = try await system.submit(3, #"{"kind": "fail", "payload": {"permanent": true}}"#)
    _ = try await system.outcomes(of: failing)
    for key in ["key-1", "key-2"] { try await submit("noop", "--key", key, "--key-window", "1h") }
    let error = try #require(
      (try await system.show(failing[0])["error"] as? [String: any Sendable])?["error"] as? String)
    var jobs = try await fillWithHostileText()
    jobs["waiting"] = try await submit("noop", "--department", "many", "--priority", "2")
    jobs["gated"] = try await submit("noop", "--department", "behind")
    jobs["failed"] = failing[0]
    _ = try await submit("noop", "--department", "ranked", "--rank", "5")
    jobs["ranked"] = try await submit("noop", "--department", "ranked", "--rank", "7")
    try await subscribe("audit", until: failing[0])
    try await announceEvents()
    _ = try await system.submit(300, #"{"kind": "noop", "department": "victims"}"#)
    _ = try await system.submit(8, #"{"kind": "noop", "department": "listed", "delay": "1h"}"#)
    _ = try await system.submit(1, #"{"kind": "fail", "department": "late", "attempts": 20}"#)
    _ = try await system.submit(39, #"{"kind": "noop", "department": "late"}"#)
    _ = try await system.submit(5, #"{"kind": "fail", "payload": {"code": "not_yet"}, "attempts": 9}"#)
    let many = try await system.submit(700, #"{"kind": "fail", "payload": {"permanent": true, "code": "many_bad"}}"#)
    _ = try await system.outcomes(of: many)
    _ = try await system.submit(9_997, #"{"kind": "noop", "department": "many"}"#)
    return ["jobs": jobs, "error": error, "failing": failing, "put back": try await parkWhatCanBePutBack()]
  }

  /// A row on each screen that a viewer may see.
  func fillForViewer() async throws -> [String: Any] {
    let failing = try await system.submit(2, #"{"kind": "fail", "payload": {"permanent": true}}"#)
    _ = try await system.outcomes(of: failing)
    try await subscribe("audit", until: try await submit("noop", "--key", "key-1", "--key-window", "1h"))
    return ["waiting": try await submit("noop", "--department", "many")]
  }

  /// A plan is open, and two events have come that somebody has to decide about.
  private func announceEvents() async throws {
    #expect(try await system.teller("plan", "start", "night", "--wait").status == 0, "\(system.logs)")
    for _ in 0..<2 {
      let event = try await system.run("teller", ["event", "push", "--json"])
      #expect(event.objects.first?["state"] as? String == "announced", "\(event)\n\(system.logs)")
    }
  }

  /// What commands other than those of the page have done, as the record of actions names it.
  static let actions = ["send_event", "send_event", "start_plan"]

  /// A message that a coordinator has parked when it did not know the department, which it does now.
  ///
  /// - Returns: The job that it becomes when it is put back.
  private func parkWhatCanBePutBack() async throws -> String {
    let connection = try await Connection.patient(to: system.brokerURL)
    let job = JobID()
    let submission = SubmissionCodec.encode(Submission(id: job, kind: "noop", department: "other"))
    var properties = submission.properties
    properties.headers[Header.error] = .string("unknown_department")
    properties.headers[Header.message] = .string("there was no department other")
    properties.headers[Header.parkedFrom] = .string(Topology.Mail.submissions.rawValue)
    properties.headers[Header.parked] = .int(Timestamp.now().milliseconds)
    let parked = Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.rejected, properties: properties,
      body: submission.body)
    #expect(try await connection.publish(parked) == .confirmed)
    await connection.close()
    return job.description
  }

  /// Somebody keeps their place by a name.
  private func subscribe(_ name: String, until job: String) async throws {
    let watch = try system.launch("teller", ["watch", "--since", "start", "--name", name, "--json"])
    try await watch.waitForLine(containing: job, within: TellerSystem.limit)
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)
  }

  @discardableResult
  private func submit(_ kind: String, _ arguments: String...) async throws -> String {
    try await system.submitOne([kind] + arguments)
  }
}

// Hostile text. Where a name has a grammar that forbids it, there is none.
extension PageRows {
  /// - Returns: The jobs by what is hostile in them.
  private func fillWithHostileText() async throws -> [String: String] {
    let failing = try payload(["permanent": true, "code": Self.hostile("code"), "message": Self.hostile("message")])
    let jobs = [
      "hostile": try await submit(
        "noop", "--department", "many", "--priority", "9", "--key", Self.hostile("key"), "--payload",
        try payload(["text": Self.hostile("payload") + "\u{202E}{{7*7}}"])),
      "exact": try await submit(
        "noop", "--department", "many", "--priority", "9", "--key", "acc\u{202E}99\u{200B}ount", "--payload",
        "{\"n\": 1970670598291982290, \"p\": 1.10, \"p\": 1e400, \"of\": [ ], \"name\": \"gpj.\u{202E}exe\"}"),
      "answer": try await submit("echo", "--payload", try payload(["text": Self.hostile("result")])),
      "failure": try await submit("fail", "--payload", failing),
      "progress": try await submit(
        "gate", "--department", "other", "--payload", try payload(["says": Self.hostile("progress")])),
    ]
    _ = try await system.outcomes(of: [jobs["answer"], jobs["failure"]].compactMap(\.self))
    try await park()
    return jobs
  }

  private func payload(_ value: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
  }

  /// A message that nobody is told of is parked: its type is no kind.
  private func park() async throws {
    let connection = try await Connection.patient(to: system.brokerURL)
    var message = SubmissionCodec.encode(Submission(id: JobID(), kind: "noop"))
    message.properties.type = Self.hostile("type")
    #expect(try await connection.publish(message) == .confirmed)
    await connection.close()
    try await eventually("it is parked", within: TellerSystem.limit, lastState: { system.logs }) {
      try await system.ask("rejected", "--json").objects.count == 1
    }
  }

  /// A worker of another make, which may have any name, says that it is there, or that it goes.
  func tell(of worker: WorkerID, isGoodbye: Bool = false) async throws {
    let name = Self.hostile("worker")
    let connection = try await Connection.patient(to: system.brokerURL)
    let presence = Presence(
      worker: worker, session: 1, name: name, tellers: ["listed": 1], ledger: nil, probe: 0, running: [],
      isGoodbye: isGoodbye)
    try await connection.publish(PresenceCodec.encode(presence))
    try await eventually("the worker is \(isGoodbye ? "gone" : "heard")", within: TellerSystem.limit) {
      try await system.ask("workers", "--json").lines.contains { $0.contains(worker.text) } != isGoodbye
    }
    await connection.close()
  }
}
