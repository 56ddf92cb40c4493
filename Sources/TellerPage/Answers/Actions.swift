import JobModel
import JobTransport
import Teller

/// An action of the page: the members that its body may have beside the form, and what it does.
struct PageActionEntry: Sendable {
  let members: Set<String>
  let run: @Sendable (ActionCall) async throws -> [UInt8]

  init(_ members: Set<String>, _ run: @escaping @Sendable (ActionCall) async throws -> [UInt8]) {
    (self.members, self.run) = (members, run)
  }
}

/// The actions of the page, by name.
enum Actions {
  static let all: [String: PageActionEntry] = [
    "pause": PageActionEntry(["department"]) {
      try await $0.command(.pause(try $0.body(DepartmentBody.self).department), DepartmentPause.self)
    },
    "resume": PageActionEntry(["department"]) {
      try await $0.command(.resume(try $0.body(DepartmentBody.self).department), DepartmentPause.self)
    },
    "resize": PageActionEntry(["department", "tellers", "worker"]) {
      try await $0.command(.resize(try $0.body()), DepartmentResize.self)
    },
    "cancel": ofJobs(AdminRequest.cancel), "replay": ofJobs(AdminRequest.replay), "drop": ofJobs(AdminRequest.drop),
    "accept-restored": ofRestored(AdminRequest.acceptRestored),
    "drop-restored": ofRestored(AdminRequest.dropRestored),
    "reset": PageActionEntry([]) { try await $0.command(.reset, JobOperation.self) },
    "rerank": PageActionEntry(["job", "priority", "rank"]) {
      try await $0.command(.rerank(try $0.body()), JobPlace.self)
    },
    "free-key": PageActionEntry(["kind", "key"]) { try await $0.command(.freeKey(try $0.body()), FreedKey.self) },
    "reset-key": PageActionEntry(["kind", "key"]) {
      try await $0.command(.resetKeys(KeyResetOrder(try $0.body(JobKey.self))), JobOperation.self)
    },
    "drain": PageActionEntry(["worker"]) { try await $0.command(.drainWorker(try $0.body()), WorkerDrain.self) },
    "stop-plan": PageActionEntry(["plan", "gates"], stopPlan), "start-plan": PageActionEntry(["plan"], startPlan),
    "forget-subscriber": PageActionEntry(["name"]) {
      try await $0.command(.forgetSubscriber(try $0.body(NameBody.self).name), ForgottenSubscriber.self)
    },
    "accept-event": choice("accept", .acceptEvent) { try await $0.acceptEvent($1, by: $2) },
    "dismiss-event": choice("dismiss", .dismissEvent) { try await $0.dismissEvent($1, by: $2) },
    "put-back": PageActionEntry(["ids"], putBack), "drop-rejected": PageActionEntry(["ids"], dropRejected),
  ]

  private struct DepartmentBody: Decodable { var department: Department }
  private struct NameBody: Decodable { var name: SubscriberName }
  private struct EventBody: Decodable { var event: JobID }

  private struct PlanBody: Decodable {
    var plan: PlanName
    var gates: GateChoice?
  }

  /// By ids the answer says what became of each; of a scope it is the operation.
  private static func ofJobs(_ request: @escaping @Sendable (JobSelection) -> AdminRequest) -> PageActionEntry {
    let members: Set = [
      "jobs", "department", "kind", "all", "state", "error", "key", "plan", "since_ms", "until_ms",
    ]
    return PageActionEntry(members) { call in
      let selection: JobSelection = try call.body()
      if selection.jobs != nil { return try await call.command(request(selection), JobChanges.self) }
      return try await call.command(request(selection), JobOperation.self)
    }
  }

  private static func ofRestored(_ request: @escaping @Sendable (JobSelection) -> AdminRequest) -> PageActionEntry {
    PageActionEntry(["department", "kind", "all"]) { try await $0.command(request(try $0.body()), JobOperation.self) }
  }

  private static func stopPlan(_ call: ActionCall) async throws -> [UInt8] {
    let body: PlanBody = try call.body()
    return try await call.command(
      .stopPlan(PlanStopOrder(plan: body.plan, gates: body.gates ?? .keep)), PlanStop.self)
  }

  /// The run's id follows from the form: sent twice, it is one run.
  private static func startPlan(_ call: ActionCall) async throws -> [UInt8] {
    let plan = try call.body(PlanBody.self).plan
    let handle = try await call.client.startPlan(plan, id: JobID(form: call.form, as: "start-plan"))
    try await handle.accepted(timeout: call.limits.acceptance)
    if handle.duplicateOf == nil { await call.record(ActionNote(.startPlan, job: handle.id, name: plan.name)) }
    return try PrintedJSON.bytes(
      StartedPlan(
        plan: plan, run: handle.duplicateOf ?? handle.id, started: handle.duplicateOf == nil, handle.decision))
  }

  private static func choice(
    _ name: String, _ word: ActionNote.Word,
    _ choose: @escaping @Sendable (TellerClient, JobID, JobID) async throws -> Bool
  ) -> PageActionEntry {
    PageActionEntry(["event"]) { call in
      let event = try call.body(EventBody.self).event
      let late = { @Sendable in TellerError.noCoordinator(silentFor: call.limits.acceptance) }
      let changed = try await within(call.limits.acceptance, orThrow: late) {
        try await choose(call.client, event, JobID(form: call.form, as: name))
      }
      await call.record(.choice(word, of: event, isNew: changed))
      return try PrintedJSON.bytes(EventChange(event: try await call.client.event(event), changed: changed))
    }
  }
}
