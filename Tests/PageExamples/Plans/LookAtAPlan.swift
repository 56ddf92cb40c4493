import Teller

func show(with client: TellerClient) async throws {
  let plan = try await client.plan("opening")
  print(plan.phase, plan.waitingEvents)
  for step in plan.steps {
    print(step.rank, step.name, step.round, step.state, step.error?.message ?? "")
  }
  for gate in plan.gates { print(gate.department, gate.isOpen ? "open" : "shut") }
}

func receive(_ push: JobID, with client: TellerClient) async throws {
  let job = try await client.send("push", payload: .object(["page": .string("offers")]), id: push)
  try await job.accepted()
  let event = try await client.event(push)
  print(event.state)
}

func decide(about push: JobID, with client: TellerClient) async throws {
  do {
    let isMine = try await client.acceptEvent(push)
    print(isMine ? "accepted" : "somebody was faster")
  } catch JobError.rejected(_, let failure) where failure.code == JobFailure.Code.dismissed {
    print("nothing is to be done any more")
  }
}

func listAnnounced(with client: TellerClient) async throws {
  var query = EventQuery(plan: "opening", state: .announced)
  repeat {
    let page = try await client.events(query)
    for event in page.events { print(event.id, event.name, event.received) }
    query.before = page.next
  } while query.before != nil
}

func follow(with client: TellerClient) async throws {
  for try await event in try await client.events(since: .now) where event.plan == "opening" {
    switch event.change {
    case .succeeded where event.kind == "plan": print("open")
    case .failed where event.kind == "plan": print("not open: \(event.failure?.message ?? "")")
    case .passedOver: print("goes on without \(event.name ?? "")")
    case .wentBack: print("goes back: \(event.name ?? "") failed")
    case .received(.announced): print("\(event.name ?? "") waits: accept or dismiss it")
    case .received(let state): print("\(event.name ?? "") is \(state)")
    default: break
    }
  }
}

func stop(with client: TellerClient) async throws {
  let stop = try await client.stopPlan("opening", gates: .keep)
  print("was \(stop.before); \(stop.cancelledSteps) steps are cancelled")
}
