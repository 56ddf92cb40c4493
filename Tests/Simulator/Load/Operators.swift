import AuditSupport
import Decisions
import JobModel
import JobTransport

/// What operators do, at any time.
struct Operators {
  let world: World
  let client: ClientNode

  /// How many sorts of acts there are.
  static let acts = 13

  func act() {
    let acts: [(Int, () -> Void)] = [
      (2, replay), (1, drop), (2, pause), (2, resize), (3, rerank), (2, drain), (1, freeKey), (1, resetKeys),
      (1, cancelAll), (1, stopPlan), (1, replayAll), (1, stopOpening), (4, moveOpening),
    ]
    let weights = zip(acts, world.operatorSwarm).map { $0.0 * $1 }
    let sum = weights.reduce(0, +)
    guard sum > 0 else { return rerank() }
    var draw = world.number(0...sum - 1)
    for (weight, act) in zip(weights, acts) {
      draw -= weight
      if draw < 0 { return act.1() }
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
    let tellers = world.number(0...3)
    if tellers == 0 { world.wasUnserved = true }
    client.command(.resize(ResizeOrder(department: department, tellers: tellers)))
    client.after(.milliseconds(world.number(100...5_000)), "resizes \(department) again") { [client, world] in
      client.command(.resize(ResizeOrder(department: department, tellers: world.number(1...3))))
    }
  }

  private func rerank() {
    let isRank = world.chance(40)
    let ordered = client.submissions.suffix(60).filter { $0.department == Departments.ordered }.map(\.id)
    guard let job = world.some(of: isRank && !ordered.isEmpty ? ordered : recent) else { return }
    let order =
      isRank
      ? RerankOrder(job: job, rank: world.number(1...5))
      : RerankOrder(job: job, priority: Priority(world.number(0...9)))
    if order.rank != nil { world.record.moved.insert(job) }
    client.command(.rerank(order))
  }

  private func drain() {
    guard let worker = world.some(of: world.workers.filter(\.isAlive)) else { return }
    client.command(.drainWorker(DrainOrder(worker: worker.worker.text)))
    guard world.chance(50) else { return }
    // What it is told may be lost.
    world.after(.milliseconds(world.number(0...2_500)), nil, "cuts \(worker.name)") { [world] in
      if worker.isAlive { world.cutLines(of: worker) }
    }
  }

  private var key: String { "free-\(world.number(0...2))" }

  private func freeKey() { client.command(.freeKey(KeyOrder(kind: "keyed", key: key))) }

  private func resetKeys() { client.command(.resetKeys(KeyResetOrder(JobKey(kind: "keyed", key: key)))) }

  /// Cancels every job of a kind.
  private func cancelAll() {
    guard world.chance(30) else { return }
    world.allowCancelled("long")
    client.command(.cancel(JobSelection(kind: "long")))
  }

  private func replayAll() { client.command(.replay(JobSelection(kind: "hopeless"))) }

  private func stopPlan() { client.command(.stopPlan(PlanStopOrder(plan: "daily", gates: .open))) }
}
