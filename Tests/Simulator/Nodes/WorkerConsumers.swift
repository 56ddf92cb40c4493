import JobModel
import JobTransport
import Teller

// What a worker consumes, and runs.
extension WorkerNode {
  func staff() {
    guard isServing, step == nil, let consuming else { return }
    let wasWelcomed = state.isWelcomed
    guard let next = state.nextStep() else {
      let tags = state.takeTagsToAck()
      if !tags.isEmpty { world.send(.ack(tags), on: consuming) }
      return take(.staffed(wasWelcomed: wasWelcomed))
    }
    step = next
    switch next {
    case .cancel(let tag): world.send(.cancel(tag: tag), on: consuming)
    case .consume(let department, let kind, let tag, let prefetch):
      let queue = Topology.Queue.assignments(JobQueue(department, kind: kind))
      world.send(.consume(queue: queue, tag: tag, prefetch: prefetch), on: consuming)
    }
  }

  /// Looks at a refused queue on a connection of its own.
  func lookAtRefused(_ queue: JobQueue) {
    after(world.span(100...3_000), "looks at \(queue)") { [self] in
      take(world.broker.has(Topology.Queue.assignments(queue)) ? .accepted(queue) : .stillRefused(queue))
    }
  }

  func run(_ start: WorkerStart) {
    world.lastRun += 1
    handlers[start.assignment.release] = ScriptedRun(start, on: self, number: world.lastRun)
  }

  /// Lends the teller of a handler.
  func lend(_ release: ReleaseID) -> WorkerState.Lending {
    let lending = state.lendTeller(of: release, level: 0, at: instant)
    if case .lent(let actions) = lending {
      var acks: (acks: [UInt64], back: [UInt64], rejected: [UInt64]) = ([], [], [])
      carryOut(actions, &acks)
      settle(acks)
    }
    return lending
  }
}
