import AuditSupport
import Foundation
import JobModel
import SystemSupport
import TestSupport

/// Which nodes of a broker of three die, one time after the other, while jobs are submitted all the time. Nothing of
/// Teller is harmed: not one job may run twice, but those of workers whose node was silent for longer than the lease.
struct ClusterRounds {
  let stage: Stage

  /// How long a node that was killed stays away at least, and how long jobs go through with all nodes there.
  static let pause: Duration = .seconds(10)
  static let nodes = [1, 2, 3]
  /// How long it may take until jobs are served again.
  static let recoveryCap: Duration = .seconds(120)

  func run() async throws {
    try await round("the node of the department's queue") { [try await holder()] }
    try await round("another node") {
      let holder = try await holder()
      return ClusterRounds.nodes.filter { $0 != holder }.prefix(1)
    }
    try await round("the node of the department's queue, again") { [try await holder()] }
    try await silent()
    try await stopped()
    try await withoutMajority(firstBack: "the node of the department's queue") { $0 }
    try await withoutMajority(firstBack: "another node") { $0.reversed() }
    try await forgotten()
  }

  /// Nodes die; jobs are served again without them; they come back.
  private func round(_ name: String, _ chosen: () async throws -> some Collection<Int>) async throws {
    let dead = try await chosen()
    let start = Moment.now
    stage.say("kill -9 of \(name): \(dead.map { "node \($0)" }.joined())")
    for node in dead { try await stage.broker.kill(node: node) }
    try await servedAgain("\(name) killed", since: start)
    try await Task.sleep(for: ClusterRounds.pause)
    let back = Moment.now
    for node in dead { try await stage.broker.start(node: node) }
    try await servedAgain("\(name) back", since: back)
    try await Task.sleep(for: ClusterRounds.pause)
  }

  /// A node's machine vanishes without a word, and is started again.
  private func silent() async throws {
    let node = try await holder()
    let start = Moment.now
    stage.say("freezing the node of the department's queue: node \(node)")
    try await stage.broker.freeze(node: node)
    try await servedAgain("the node of the department's queue silent", since: start)
    try await Task.sleep(for: ClusterRounds.pause)
    let back = Moment.now
    try await stage.broker.kill(node: node)
    try await stage.broker.start(node: node)
    try await servedAgain("the silent node started again", since: back)
    // Who was connected to it could not be heard for longer than the lease.
    await stage.wereCutOff(stage.workers, since: start)
    try await Task.sleep(for: ClusterRounds.pause)
  }

  /// A node is stopped in good order: what was in its queues waits there.
  private func stopped() async throws {
    let node = try await holder()
    stage.say("stopping the node of the department's queue in good order: node \(node)")
    try await stage.broker.stop(node: node)
    try await Task.sleep(for: ClusterRounds.pause * 2)
    let start = Moment.now
    try await stage.broker.start(node: node)
    try await servedAgain("the node of the department's queue stopped, and back", since: start)
    try await Task.sleep(for: ClusterRounds.pause)
  }

  /// Two of three nodes die, and come back in the chosen order.
  private func withoutMajority(firstBack name: String, _ order: ([Int]) -> [Int]) async throws {
    let dead = order([try await holder(), try await other()])
    stage.say("kill -9 of two of three nodes: \(dead)")
    for node in dead { try await stage.broker.kill(node: node) }
    try await Task.sleep(for: ClusterRounds.pause * 2)
    let start = Moment.now
    try await stage.broker.start(node: dead[0])
    try await Task.sleep(for: ClusterRounds.pause)
    try await stage.broker.start(node: dead[1])
    try await servedAgain("two of three nodes killed, \(name) back, then the other", since: start)
    try await Task.sleep(for: ClusterRounds.pause)
  }

  /// A node is stopped in good order, and will never come back: the broker is told so.
  private func forgotten() async throws {
    let node = try await holder()
    stage.say("stopping the node of the department's queue for ever: node \(node)")
    try await stage.broker.stop(node: node)
    try await Task.sleep(for: ClusterRounds.pause)
    let start = Moment.now
    try await stage.broker.ctl("forget_cluster_node", "rabbit@node\(node)")
    try await servedAgain("the node of the department's queue stopped and forgotten", since: start)
  }

  /// Waits until a job is served that is submitted from now on, and tells how long nobody heard of any success.
  private func servedAgain(_ what: String, since start: Moment) async throws {
    let now = Moment.now
    try await eventually("a new success, with \(what)", within: ClusterRounds.recoveryCap) {
      stage.history.record.firstSuccess(ofJobsSince: now) != nil
    }
    let text = "\(what): no success for \(stage.history.record.longestSilence(since: start).seconds)"
    stage.say(text)
    await stage.note(text)
  }

  /// The node that has the queue of the department `work`.
  private func holder() async throws -> Int {
    let listed = try await stage.broker.ctl("list_queues", "--vhost", stage.virtualHost, "--quiet", "name", "pid")
    let line = listed.split(separator: "\n").first { $0.hasPrefix("teller.department.work\t") }
    guard let line, let node = ClusterRounds.nodes.first(where: { line.contains("rabbit@node\($0).") }) else {
      throw StageError(what: "no node has the department's queue: \(listed)")
    }
    return node
  }

  private func other() async throws -> Int {
    let holder = try await holder()
    return ClusterRounds.nodes.last { $0 != holder } ?? 1
  }
}

extension Stage {
  /// Tells whoever looks on, at once.
  nonisolated func say(_ text: String) { FileHandle.standardError.write(Data("cluster: \(text)\n".utf8)) }
}

extension Duration {
  /// As in "1.2 s".
  fileprivate var seconds: String {
    let tenths = Int((self / .milliseconds(100)).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
