import ArgumentParser
import Foundation
import Simulator

/// Runs schedules, for as long as it is told.
@main
struct Simulate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "simulate")

  @Option(help: "How long.") var minutes = 1.0
  @Option(help: "One schedule.") var seed: UInt64?
  @Option(help: "The first of many seeds.") var from: UInt64?
  @Option(help: "How many schedules at most.") var schedules = Int.max
  @Flag(help: "Prints the trace.") var trace = false
  @Option(help: "The folder for ledgers.") var folder = "/dev/shm"
  @Option(help: "Ends after this many failures.") var failures = 1

  /// The order of sets and dictionaries is part of a schedule: it has to be the same in each process.
  private func beDeterministic() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    guard getenv(name) == nil else { return }
    setenv(name, "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
  }

  func run() async throws {
    beDeterministic()
    let own = URL(filePath: folder).appending(path: "teller-simulate-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: own) }
    var tally = Tally()
    let end = ContinuousClock.now + .seconds(minutes * 60)
    var next = seed ?? from ?? UInt64.random(in: 0...(1 << 52))
    let first = next
    while ContinuousClock.now < end, tally.schedules < (seed == nil ? schedules : 1), tally.failed < failures {
      let folder = own.appending(path: "\(next)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let verdict = try await Schedule.run(seed: next, in: folder, isTraced: trace)
      try? FileManager.default.removeItem(at: folder)
      tally.add(verdict)
      if !verdict.holds || trace { show(verdict) }
      next += 1
    }
    tally.show(from: first)
    if tally.failed > 0 { throw ExitCode(1) }
  }

  private func show(_ verdict: Verdict) {
    for line in verdict.trace { print(line) }
    print(
      "seed \(verdict.seed): faults \(verdict.faults.joined(separator: " ")); \(verdict.jobs) jobs, \(verdict.events) events"
    )
    for (invariant, found) in verdict.violations { print("  \(invariant): \(found.joined(separator: "\n    "))") }
  }
}

/// What many schedules have come to.
struct Tally {
  var schedules = 0
  var failed = 0
  var events = 0
  var jobs = 0
  var sometimes: [Sometime: Int] = [:]
  let began = ContinuousClock.now

  mutating func add(_ verdict: Verdict) {
    schedules += 1
    if !verdict.holds { failed += 1 }
    events += verdict.events
    jobs += verdict.jobs
    sometimes.merge(verdict.sometimes) { $0 + $1 }
  }

  func show(from first: UInt64) {
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    print(
      "\(schedules) schedules from seed \(first) in \(Int(seconds)) s, \(String(format: "%.1f", Double(schedules) / seconds)) a second; "
        + "\(events / max(1, schedules)) events and \(jobs / max(1, schedules)) jobs each; \(failed) failed")
    for state in Sometime.allCases { print("  \(sometimes[state] ?? 0)\t\(state.rawValue)") }
  }
}
