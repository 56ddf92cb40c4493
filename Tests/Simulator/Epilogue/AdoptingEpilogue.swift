import AMQP
import AuditSupport
import JobModel

// A job that runs for so long that its worker acks its message: the worker alone has it then.
extension Epilogue {
  private static let length: Duration = .seconds(30)

  /// A message that comes back all the same is acked at once; and a report that goes with the broker's disk is missed.
  func adopts() async throws {
    guard world.chance(40) else { return }
    let long = job("long", Script(length: Epilogue.length))
    client.submit(long, Wanted())
    try await wait(for: "the adoption of a long job") { try reading.isAdopted(long.id) && !hasMessage(of: long.id) }
    guard world.failures.isEmpty else { return }
    if world.chance(60) { try await bringBack(long.id) }
    if world.failures.isEmpty, world.chance(30) { try await loseReport(of: long.id) }
    try await wait(for: "the end of a job that was adopted") { client.isIdle }
  }

  /// Whether the broker has a message of the job for a worker, or has handed one out.
  private func hasMessage(of job: JobID) -> Bool {
    let id = job.description
    let (queues, lines) = (world.broker.queues, world.broker.lines)
    return queues.contains { name, queue in
      name.hasPrefix(Epilogue.departments)
        && queue.levels.contains { $0.contains { $0.properties.messageID == id } }
    }
      || lines.values.contains { line in
        line.unacked.values.contains {
          $0.queue.hasPrefix(Epilogue.departments) && $0.message.properties.messageID == id
        }
      }
  }

  private static let departments = "teller.department."

  private func isRunning(_ job: JobID) -> Bool {
    world.workers.contains { $0.isAlive && $0.handlers.keys.contains { $0.job == job } }
  }

  /// A crash of the broker may undo the ack.
  private func bringBack(_ job: JobID) async throws {
    try world.suffer(.killBroker)
    // Everybody is there again by then, and has said what it has.
    try await world.run(until: world.now + .seconds(10))
    // A command whose ack was undone may have been carried out once more.
    world.serveAll()
    try await wait(for: "departments that are served again") { client.isIdle }
    let end = world.now + .seconds(6)
    while world.now < end, world.failures.isEmpty, hasMessage(of: job) {
      try await world.run(until: world.now + .milliseconds(200))
    }
    if hasMessage(of: job), isRunning(job) { fail("the message of \(job) is kept, and its worker has adopted it") }
  }

  /// The broker has confirmed the report, and loses its disk before the coordinator has read it.
  private func loseReport(of job: JobID) async throws {
    guard isRunning(job), let began = world.runs.last(where: { $0.job == job })?.began else { return }
    let end = Duration.nanoseconds(began.nanoseconds) + Epilogue.length
    guard end - .seconds(1) > world.now else { return }
    try await world.run(until: end - .seconds(1))
    world.freeze(coordinator, until: end + .seconds(3))
    try await world.run(until: end + .seconds(2))
    try world.suffer(.wipeBroker)
  }
}
