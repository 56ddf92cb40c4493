import Foundation
import SystemSupport
import TestSupport
import Testing

/// A department's cap counts for all workers together. How many jobs really ran at once is told by the traces that they
/// left, with the times of a clock that all processes share.
@Suite("A cap of three over four workers of eight tellers each")
struct CapTests {
  private static let cap = 3
  private static let jobs = 240
  private static let rounds = 4
  /// How many jobs end between two rounds.
  private static let between = 12

  @Test(
    "is never exceeded, and an ordered department keeps its order, while other jobs are taken ahead and workers die")
  func besideJobsAhead() async throws {
    let system = try await TellerSystem.onSharedBroker(
      lease: TellerSystem.leaseOfTheDead, departments: "work: {cap: 2}, other: {ahead: 4}, init: {ordered: true}")
    let coordinator = try await system.startCoordinator()
    let tellers = ["work=4", "other=2", "init=4"]
    var workers = [try await system.startWorker(tellers), try await system.startWorker(tellers)]
    let timed = #""attempts": 100, "payload": {"ms": 40, "timed": true}}"#
    let capped = try await system.submit(60, #"{"kind": "effect", "# + timed)
    let ordered = try await system.submit(30, #"{"kind": "effect", "department": "init", "# + timed)
    let others = try await system.submit(120, #"{"kind": "effect", "department": "other", "# + timed)
    var deaths: [pid_t: UInt64] = [:]
    for _ in 1...2 {
      try await someEnd(system, of: 210)
      let victim = workers.removeFirst()
      try await kill(victim, &deaths)
      workers.append(try await system.startWorker(tellers))
    }
    let states = try await system.outcomes(of: capped + ordered + others)
    #expect(Set(states.values) == ["succeeded"], "\(system.logs)")
    let runs = system.runs()
    #expect(runs.only(capped).mostAtOnce(deaths: deaths) == 2)
    #expect(runs.only(ordered).mostAtOnce(deaths: deaths) == 1)
    #expect(runs.only(ordered).firstBeginnings == ordered)
    system.expectSecondRunsOnly(after: Set(deaths.keys))
    for process in workers + [coordinator] { try await process.close() }
  }

  @Test("is never exceeded, also while workers and the coordinator are killed again and again")
  func killed() async throws {
    let system = try await TellerSystem.onSharedBroker(
      lease: TellerSystem.leaseOfTheDead, departments: "work: {cap: \(CapTests.cap)}")
    var coordinator = try await system.startCoordinator()
    var workers: [RunningProcess] = []
    for _ in 1...4 { workers.append(try await system.startWorker("work=8")) }
    let ids = try await system.submit(
      CapTests.jobs, #"{"kind": "effect", "attempts": 100, "payload": {"ms": 120, "timed": true}}"#)
    var deaths: [pid_t: UInt64] = [:]
    for _ in 1...CapTests.rounds {
      try await someEnd(system)
      try await kill(coordinator, &deaths)
      coordinator = try await system.startCoordinator()
      try await someEnd(system)
      // Together: the dead worker's lease begins anew with the new coordinator.
      let victim = try await busy(workers, system)
      try await kill(victim, &deaths)
      try await kill(coordinator, &deaths)
      coordinator = try await system.startCoordinator()
      workers.removeAll { $0.pid == victim.pid }
      workers.append(try await system.startWorker("work=8"))
    }
    let states = try await system.outcomes(of: ids)
    #expect(states.count == CapTests.jobs)
    #expect(Set(states.values) == ["succeeded"], "\(system.logs)")
    let runs = system.runs()
    let most = runs.mostAtOnce(deaths: deaths)
    print(
      """
      cap of \(CapTests.cap): \(CapTests.jobs) jobs, \(runs.began.count) runs, \(CapTests.rounds) workers and \
      \(2 * CapTests.rounds) coordinators killed, at most \(most) at once
      """)
    #expect(most == CapTests.cap)
    system.expectSecondRunsOnly(after: Set(deaths.keys))
    for process in workers + [coordinator] { try await process.close() }
  }

  private func someEnd(_ system: TellerSystem, of jobs: Int = CapTests.jobs) async throws {
    let before = system.runs().ended.count
    try await eventually("some jobs end", within: TellerSystem.longLimit, lastState: { system.logs }) {
      system.runs().ended.count >= min(before + CapTests.between, jobs - CapTests.between)
    }
  }

  /// A worker that runs something now.
  private func busy(_ workers: [RunningProcess], _ system: TellerSystem) async throws -> RunningProcess {
    var found: RunningProcess?
    try await eventually("a worker is busy", within: TellerSystem.longLimit, lastState: { system.logs }) {
      let runs = system.runs()
      let busy = Set(runs.began.keys.filter { runs.ended[$0] == nil }.map(\.pid))
      found = workers.first { busy.contains($0.pid) }
      return found != nil
    }
    return try #require(found)
  }

  private func kill(_ process: RunningProcess, _ deaths: inout [pid_t: UInt64]) async throws {
    process.signal(SIGKILL)
    try await process.waitForExit(within: TellerSystem.limit)
    deaths[process.pid] = DispatchTime.now().uptimeNanoseconds
  }
}

/// Every run of a timed `effect` job, with its times in nanoseconds.
private struct TimedRuns {
  struct Run: Hashable {
    var job: String
    var attempt: String
    var pid: pid_t
  }

  var began: [Run: UInt64] = [:]
  var ended: [Run: UInt64] = [:]

  /// Those of these jobs.
  func only(_ jobs: [String]) -> TimedRuns {
    let jobs = Set(jobs)
    return TimedRuns(
      began: began.filter { jobs.contains($0.key.job) }, ended: ended.filter { jobs.contains($0.key.job) })
  }

  /// The jobs in the order in which they began for the first time.
  var firstBeginnings: [String] {
    var seen: Set<String> = []
    return began.sorted { $0.value < $1.value }.map(\.key.job).filter { seen.insert($0).inserted }
  }

  /// The most that ran at the same time. What a killed worker had not ended, ended with it at the latest.
  func mostAtOnce(deaths: [pid_t: UInt64]) -> Int {
    var steps: [(time: UInt64, change: Int)] = []
    for (run, time) in began {
      steps.append((time, 1))
      steps.append((ended[run] ?? deaths[run.pid] ?? .max, -1))
    }
    // At the same moment the end comes first.
    steps.sort { ($0.time, $0.change) < ($1.time, $1.change) }
    var (now, most) = (0, 0)
    for step in steps {
      now += step.change
      most = max(most, now)
    }
    return most
  }
}

extension TellerSystem {
  fileprivate func runs() -> TimedRuns {
    effectLines.reduce(into: TimedRuns()) { runs, words in
      guard words.count == 5, let pid = pid_t(words[2]), let time = UInt64(words[4]) else {
        return
      }
      let run = TimedRuns.Run(job: words[0], attempt: words[1], pid: pid)
      if words[3] == "began" { runs.began[run] = time } else { runs.ended[run] = time }
    }
  }
}
