import AMQP
import JobModel
import JobTransport

/// Makes and cancels the departments' consumers, each time when they may have to change.
extension WorkerLoop {
  func staff(_ link: WorkerLink) async throws {
    for await _ in link.staffingDue.raised {
      let wasWelcomed = state.isWelcomed
      while let step = state.nextStep() { try await carryOut(step, on: link) }
      try await Acknowledgements(acks: state.takeTagsToAck()).send(on: link.consuming)
      take(.staffed(wasWelcomed: wasWelcomed))
    }
  }

  private func carryOut(_ step: DepartmentPool.Step, on link: WorkerLink) async throws {
    switch step {
    case .consume(let department, let kind, let tag, let prefetch):
      let options = ConsumeOptions(prefetch: UInt16(clamping: prefetch), consumerTag: tag)
      let queue = JobQueue(department, kind: kind)
      do throws(AMQPError) {
        _ = try await link.consuming.consume(Topology.Queue.assignments(queue), options: options, into: link.inbox)
        take(.consuming(tag, department))
      } catch {
        take(.refused(queue, error))
        throw error
      }
    case .cancel(let tag):
      try await link.consuming.cancel(tag)
      var rest = Rest()
      take(.cancelled(tag), &rest)
      try await settle(rest, on: link.consuming)
    }
  }
}
