import AuditSupport
import Decisions
import JobModel
import JobTransport

/// What operators do, at any time.
struct Operators {
  let world: World
  let client: ClientNode

  func act() {
    switch world.number(0...15) {
    case 0...1: replay()
    case 2: drop()
    case 3...4: pause()
    case 5...6: resize()
    case 7...9: rerank()
    case 10: drain()
    case 11: freeKey()
    case 12: resetKeys()
    case 13: cancelAll()
    case 14: stopPlan()
    default: replayAll()
    }
  }

  private var recent: [JobID] { Array(world.record.operations.suffix(120).filter { $0.wish == .submit }.map(\.job)) }

  private func replay() {
    guard let job = world.some(of: world.record.replayable(since: 0)) else { return }
    client.command(.replay(JobSelection(jobs: [job])))
  }

  private func drop() {
    guard let job = world.some(of: world.record.replayable(since: 0)) else { return }
    client.command(.drop(JobSelection(jobs: [job])))
  }

  private func pause() {
    guard let department = world.some(of: Departments.plain + [Departments.ordered]) else { return }
    client.command(.pause(department))
    client.after(.milliseconds(world.number(100...5_000)), "resumes \(department)") { [client] in
      client.command(.resume(department))
    }
  }

  private func resize() {
    guard let department = world.some(of: Departments.plain) else { return }
    client.command(.resize(ResizeOrder(department: department, tellers: world.number(0...3))))
    client.after(.milliseconds(world.number(100...5_000)), "resizes \(department) again") { [client, world] in
      client.command(.resize(ResizeOrder(department: department, tellers: world.number(1...3))))
    }
  }

  private func rerank() {
    guard let job = world.some(of: recent) else { return }
    let order =
      world.chance(30)
      ? RerankOrder(job: job, rank: world.number(1...5))
      : RerankOrder(job: job, priority: Priority(world.number(0...9)))
    client.command(.rerank(order))
  }

  private func drain() {
    guard let worker = world.some(of: world.workers.filter(\.isAlive)) else { return }
    client.command(.drainWorker(DrainOrder(worker: worker.worker.text)))
  }

  private func freeKey() { client.command(.freeKey(KeyOrder(kind: "keyed", key: "key-9-0"))) }

  private func resetKeys() {
    client.command(.resetKeys(KeyResetOrder(JobKey(kind: "keyed", key: "key-9-0"))))
  }

  /// Cancels every job of a kind.
  private func cancelAll() {
    guard world.chance(30) else { return }
    world.allowCancelled("long")
    client.command(.cancel(JobSelection(kind: "long")))
  }

  private func replayAll() { client.command(.replay(JobSelection(kind: "hopeless"))) }

  private func stopPlan() { client.command(.stopPlan(PlanStopOrder(plan: "daily", gates: .open))) }
}
