import AuditSupport
import Foundation
import SystemSupport
import TestSupport
import Testing

/// Watches that come and go while jobs run, and coordinator and broker are killed. So many jobs:
/// `TELLER_TEST_WATCHED=10000`; without the variable a few.
@Suite("Watches that begin before, during and after, that are killed, and that have a name")
struct WatchedTests {
  static let variable = "TELLER_TEST_WATCHED"
  private static let wanted = ProcessInfo.processInfo.environment[variable].flatMap(Int.init)
  /// In each of them the watch that is killed, and the watch by name, are ended once.
  private static let waves = wanted == nil ? 5 : 11
  private static let jobsOfWave = max(1, (wanted ?? 20) / waves)

  private enum Fault { case coordinatorKilled, brokerKilled }

  private static func fault(of wave: Int) -> Fault? {
    switch wave {
    case waves / 3 + 1: .coordinatorKilled
    case waves - 2: .brokerKilled
    default: nil
    }
  }

  @Test("print the same sequence without a gap")
  func sequences() async throws {
    let broker = try await BrokerNode.start()
    let scene = try await WatchScene(on: broker)
    try await scene.begin()
    let before = try scene.watch(["--since", "start"])
    var during: RunningProcess?
    var (all, killed, named) = (Set<String>(), [PrintedEvent](), NamedRecord())
    for wave in 0..<Self.waves {
      if wave == Self.waves / 3 { during = try scene.watch(["--since", "start"]) }
      let killedWatch = try scene.watch(["--since", killed.last?.place ?? "start"])
      let namedWatch = try await scene.namedWatch(clockAhead: wave.isMultiple(of: 2) ? .seconds(300) : .seconds(-300))
      let fault = Self.fault(of: wave)
      var jobs: Set<String> = []
      if fault != nil {
        jobs = try await scene.printed(by: [before, during, killedWatch, namedWatch].compactMap(\.self))
      }
      let batch = try scene.system.beginSubmitting(Self.jobsOfWave, payload: #"{"ms": 5}"#)
      switch fault {
      case .coordinatorKilled: try await scene.killCoordinator()
      case .brokerKilled: try await scene.killBroker()
      case nil: break
      }
      jobs.formUnion(batch.ids)
      all.formUnion(jobs)
      try await scene.expect(jobs, in: killedWatch, "the watch that is killed")
      killed += try await scene.end(killedWatch, by: SIGKILL).events
      try await scene.expect(jobs, in: namedWatch, "the watch by name")
      // Every third time it has no time to say how far it has come.
      let end = try await scene.end(namedWatch, by: wave % 3 == 1 ? SIGKILL : SIGTERM)
      named.add(end.events, endedCleanly: end.status == 130)
      #expect(try await batch.ended.status == 0, "\(scene.system.logs)")
    }
    let after = try scene.watch(["--since", "start"])
    for (name, watch) in [("before", before), ("during", during), ("after", after)] {
      let watch = try #require(watch)
      try await scene.expect(all, in: watch, "the watch that began \(name)")
      let (events, _) = try await scene.end(watch, by: SIGINT)
      #expect(events.map(\.seq) == Array(1...Int64(events.count)), "began \(name): no gap, none twice")
      #expect(events.count == all.count && events.map(\.place) == killed.map(\.place), "began \(name)")
    }
    #expect(named.events.map(\.seq) == Array(1...Int64(all.count)), "by name")
    #expect(named.events.map(\.job) == killed.map(\.job))
    #expect(named.repeatedAfterCleanEnds == 0)
    try await scene.close()
    try await broker.close()
  }
}

/// What a watch by name has printed in all its lives: after a kill some of it may come again.
private struct NamedRecord {
  private(set) var events: [PrintedEvent] = []
  private(set) var repeatedAfterCleanEnds = 0
  private var wasClean = true

  mutating func add(_ printed: [PrintedEvent], endedCleanly: Bool) {
    let known = events.last?.seq ?? 0
    let new = printed.filter { $0.seq > known }
    if wasClean { repeatedAfterCleanEnds += printed.count - new.count }
    events += new
    wasClean = endedCleanly
  }
}
