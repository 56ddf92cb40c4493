import Foundation
package import TestSupport

extension TellerSystem {
  /// Waits until all these jobs have their outcome, and returns their states by id.
  package func outcomes(of ids: [String]) async throws -> [String: String] {
    var states: [String: String] = [:]
    for start in stride(from: 0, to: ids.count, by: 500) {
      let page = Array(ids[start..<min(start + 500, ids.count)])
      let ended = try await ask(["wait", "--json", "--within", "280s"] + page, within: TellerSystem.longLimit)
      for object in ended.objects {
        if let job = object["id"] as? String, let state = object["state"] as? String { states[job] = state }
      }
      try expectAll(page, in: states, ended)
    }
    return states
  }

  /// Of those that have ended all may have succeeded, while the others never end.
  private func expectAll(_ ids: [String], in states: [String: String], _ ended: Ended) throws {
    let left = ids.filter { states[$0] == nil }
    guard let first = left.first else { return }
    throw TimeLimitExceeded(
      name: "the outcomes of \(ids.count) jobs", limit: TellerSystem.longLimit,
      lastState: "\(left.count) have none, such as \(first): status \(ended.status), \(ended.errors)\n\(logs)")
  }

  /// Every recorded notification of the stream so far, up to the one of the given job.
  package func notifications(untilJob last: String) async throws -> [(job: String, event: String)] {
    try await watch(since: "start", untilJob: last).compactMap { line in
      guard let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: any Sendable],
        object["seq"] is NSNumber || object["seq"] is Int, let job = object["job"] as? String,
        let event = object["event"] as? String
      else { return nil }
      return (job, event)
    }
  }

  /// The lines of a watch up to the recorded outcome of the given job.
  package func watch(since start: String, untilJob last: String) async throws -> [String] {
    let watch = try await startWatch(since: start, showing: last)
    watch.signal(SIGINT)
    try await watch.waitForExit(within: TellerSystem.limit)
    return watch.text(of: .standardOutput)
  }

  /// A watch that has shown the recorded outcome of the given job, and follows. One that could not begin within the
  /// seconds that it allows itself is started again.
  package func startWatch(since start: String, showing job: String) async throws -> RunningProcess {
    let deadline = ContinuousClock.now + TellerSystem.limit
    while true {
      let watch = try launch("teller", ["watch", "--since", start, "--json"])
      do {
        // What is relayed live (that it started) has no number, and may come at any time.
        try await watch.waitForLine(named: "the outcome of job \(job)", within: TellerSystem.limit) { line in
          line.contains(job) && line.contains(#""seq""#)
        }
        return watch
      } catch let ended as ProcessEnded {
        let couldNotBegin = [69, 75].contains(ended.status) && watch.text(of: .standardOutput).isEmpty
        guard couldNotBegin, ContinuousClock.now < deadline else { throw ended }
      }
    }
  }
}
