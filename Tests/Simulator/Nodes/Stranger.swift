import AMQP
import AuditSupport
import Decisions
import JobModel
import JobTransport

/// Somebody with an account that may serve one department. It knows every release of the others, and says of them what it
/// likes: nothing of that may count.
final class Stranger: Node {
  private var publishing: World.Line?
  private let worker = WorkerID("stranger")

  static let departments = [Departments.ahead]

  /// Somebody who may submit to another department than the plans of the clients run in.
  static let neighbour = "neighbour"

  /// Who may do what in such a schedule.
  static let access = Access(
    users: [
      "client": UserSettings(role: .operator), "worker": UserSettings(role: .worker),
      "stranger": UserSettings(role: .worker, departments: departments),
      ExactText(neighbour): UserSettings(role: .producer, departments: [Departments.second]),
    ], coordinator: "coordinator")

  override var user: String { "stranger" }

  override func begin() {
    super.begin()
    connect(after: .milliseconds(1))
  }

  private func connect(after delay: Duration) {
    after(delay, "connects") { [self] in
      guard world.isBrokerUp, world.broker.exchanges[Topology.Exchange.presence] != nil else {
        return connect(after: .milliseconds(world.number(100...1_500)))
      }
      publishing = world.open(self)
      beThere()
    }
  }

  override func lost(_ line: World.Line, _ error: AMQPError) {
    publishing = nil
    connect(after: .milliseconds(world.number(20...1_000)))
  }

  /// Says that it has all that it knows of, again and again.
  private func beThere() {
    after(.milliseconds(world.number(500...2_000)), "is there") { [self] in
      guard publishing != nil else { return }
      let foreign = world.released.filter { !Stranger.departments.contains($0.department) }
      let waiting = foreign.map { WaitingRelease(release: $0.release, token: $0.token) }
      let presence = Presence(
        worker: worker, session: 1, name: "stranger", tellers: [:], ledger: world.released.last?.ledger,
        probe: world.lastProbe, running: [], waiting: waiting)
      say(PresenceCodec.encode(presence))
      beThere()
    }
  }

  private func say(_ message: TransientPublishing) {
    if let publishing { world.send(.publish(Publishing(message), number: nil), on: publishing) }
  }

  /// Says something of a job that it may not have.
  func forge() {
    let foreign = world.released.filter { !Stranger.departments.contains($0.department) }
    guard let known = world.some(of: foreign) else { return }
    let ledger = known.ledger
    let owner = world.some(of: world.workers)?.worker ?? worker
    let speaker = world.chance(50) ? worker : owner
    let report = Report(
      release: known.release, token: known.token, ledger: ledger, worker: speaker, startedAgo: .zero, ran: .zero,
      result: .succeeded(result: [], contentType: nil))
    world.sometimes.note(.forged)
    switch world.number(0...4) {
    case 0: if let early = EarlyCodec.encode(reports: ReportCodec.encode([report])[0].message) { say(early) }
    case 1: durably(ReportCodec.encode([report])[0].message)
    case 2:
      let claim = ClaimRequest(release: known.release, ledger: ledger, worker: speaker, number: 1)
      ReportCodec.encode([claim]).forEach(durably)
    case 3:
      let run = WorkerProgress.Run(release: known.release, token: known.token, RunProgress(0.5))
      PresenceCodec.encode(WorkerProgress(worker: worker, runs: [run])).forEach(say)
    default:
      say(
        PresenceCodec.encode(
          Presence(
            worker: owner, session: 99, name: "stranger", tellers: [:], ledger: ledger, probe: world.lastProbe,
            running: [], isGoodbye: true)))
    }
  }

  private func durably(_ message: Publishing) {
    if let publishing { world.send(.publish(message, number: nil), on: publishing) }
  }

  /// Submits what nobody could read: it is told that it may not submit, and nothing else.
  func submitNonsense() {
    var message = Publishing(
      exchange: Topology.Exchange.submit, routingKey: Topology.RoutingKey.submit, body: Array("nonsense".utf8))
    message.properties.messageID = "nonsense"
    durably(message)
  }
}
