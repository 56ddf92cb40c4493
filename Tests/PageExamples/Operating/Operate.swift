import Foundation
import Teller

func showDepartments(with client: TellerClient) async throws {
  let status = try await client.status()
  for department in status.departments {
    print(department.department, department.held, department.queued, department.running, department.tellers)
  }
}

func listWaiting(with client: TellerClient) async throws {
  var query = JobQuery(department: "loan", state: .held)
  repeat {
    let page = try await client.jobs(query)
    for job in page.jobs { print(job.id, job.kind, job.accepted) }
    query.before = page.next
  } while query.before != nil
}

func explain(_ id: JobID, with client: TellerClient) async throws {
  for reason in try await client.explain(id).reasons {
    print(reason.hold.rawValue, reason.text, reason.lifts ?? "")
  }
}

func cancel(_ ids: [JobID], with client: TellerClient) async throws {
  let changes = try await client.cancel(ids)
  for job in changes.unchanged { print(job.job, job.reason.rawValue) }
}

func cancelLetters(with client: TellerClient) async throws {
  var operation = try await client.cancel(.kind("letter", in: "loan"))
  while operation.finished == nil {
    print("\(operation.changed) cancelled, \(operation.looked) of \(operation.total) looked at")
    try await Task.sleep(for: .seconds(1))
    operation = try await client.operation(operation.id)
  }
}

func replayFailed(with client: TellerClient) async throws {
  let failed = try await client.jobs(JobQuery(kind: "deposit", onlyUnsettled: true))
  let late = failed.jobs.filter { $0.outcome?.failure?.code == JobFailure.Code.timeout }
  let changes = try await client.replay(late.map(\.id))
  for (old, new) in changes.replays { print("\(old) runs again as \(new)") }
}

func closeForLunch(with client: TellerClient) async throws {
  try await client.pause("loan")
  try await client.resize("deposit", tellers: 8)
  try await client.resume("loan")
}

func hurry(_ id: JobID, with client: TellerClient) async throws {
  let place = try await client.rerank(id, priority: 9)
  print(place.state, place.priority)
}

func freeKey(with client: TellerClient) async throws {
  let key = try await client.freeKey(JobKey(kind: "letter", key: "statement/2027-03/7"))
  print(key.wasTaken)
}

func resetKey(with client: TellerClient) async throws {
  let key = JobKey(kind: "letter", key: "statement/2027-03/7")
  try await client.resetKey(key)
  print(try await client.key(key).isTaken)
}

func recordTheCount(with client: TellerClient) async throws {
  let counted = ActionNote("count_cash", department: "deposit", name: "till 3")
  let action = try await client.note(counted, by: OperatorName("ada"))
  print(action.number, action.date)
}

func reportLastHour(with client: TellerClient) async throws {
  let report = try await client.report(since: Date(timeIntervalSinceNow: -3_600))
  for line in report.lines {
    print(line.department, line.succeeded, line.failed, line.waited?.median ?? .zero, line.ran?.p99 ?? .zero)
  }
}
