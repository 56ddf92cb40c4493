import ArgumentParser
import Foundation
import Simulator

/// Runs schedules, for as long as it is told: see Deploy/simulate.
@main
struct Simulate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "simulate")

  @Option(help: "For how long schedules are run.") var minutes = 1.0
  @Option(help: "Runs this one schedule alone.") var seed: UInt64?
  @Option(help: "The first of the seeds; without it, a new one.") var from: UInt64?
  @Option(help: "Runs at most this number of schedules.") var schedules = Int.max
  @Flag(help: "Prints everything that happens in the one schedule.") var trace = false
  @Option(help: "Ends after this number of schedules that break a promise.") var failures = 1
  @Flag(inversion: .prefixedNo, help: "Looks for the shortest schedule that breaks the same promise.")
  var shrink = true

  /// Every so many schedules one is run twice, and both have to be the same.
  static let twice: UInt64 = 100
  /// After so many minutes every state has to be reached.
  static let night = 120.0

  /// What is tried, as whoever starts this says.
  private static let commit = ProcessInfo.processInfo.environment["TELLER_COMMIT"].map { " at \($0)" } ?? ""

  func run() async throws {
    beDeterministic()
    let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    let folder = URL(filePath: ProcessInfo.processInfo.environment["TELLER_SIMULATE_FOLDER"] ?? memory)
      .appending(path: "teller-simulate-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var tally = Tally()
    let end = ContinuousClock.now + .seconds(minutes * 60)
    let first = seed ?? from ?? UInt64.random(in: 0...(1 << 48))
    var next = first
    repeat {
      let verdict = try await Schedule.run(seed: next, in: folder, isTraced: trace)
      tally.add(verdict)
      if trace { verdict.trace.forEach { print($0) } }
      if !verdict.holds { try await show(verdict, folder) }
      if next % Simulate.twice == 0 || next == first, seed == nil { try await runAgain(verdict, folder, &tally) }
      next += 1
    } while seed == nil && ContinuousClock.now < end && tally.schedules < schedules && tally.failed < failures
    tally.show(from: first)
    let missing = tally.missing
    if minutes >= Simulate.night, !missing.isEmpty {
      print("never reached: \(missing.map(\.rawValue).joined(separator: "; "))")
    }
    if tally.failed > 0 || minutes >= Simulate.night && !missing.isEmpty { throw ExitCode(1) }
  }

  /// The order of sets and dictionaries is part of a schedule: it has to be the same in each process.
  private func beDeterministic() {
    let name = "SWIFT_DETERMINISTIC_HASHING"
    guard getenv(name) == nil else { return }
    setenv(name, "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
  }

  private func runAgain(_ verdict: Verdict, _ folder: URL, _ tally: inout Tally) async throws {
    let again = try await Schedule.run(seed: verdict.seed, in: folder)
    guard again.digest != verdict.digest || again.violations != verdict.violations else { return }
    print("seed \(verdict.seed): two runs of the same schedule are not the same")
    tally.failed += 1
  }

  private func show(_ verdict: Verdict, _ folder: URL) async throws {
    print(
      "seed \(verdict.seed)\(Simulate.commit): \(verdict.acts) acts, faults \(verdict.faults.joined(separator: " ")); "
        + "\(verdict.jobs) jobs, \(verdict.events) events")
    for (promise, found) in verdict.violations.sorted(by: { $0.key < $1.key }) {
      print("  \(promise): \(found.joined(separator: "\n    "))")
    }
    // Whoever ends this while it looks for the shortest one knows the seed.
    fflush(nil)
    guard shrink, !trace else { return }
    var shrinking = Shrinking(verdict, in: folder)
    let (skipped, shortest) = try await shrinking.shortest(of: verdict.acts)
    print(
      "  the shortest that was found has \(verdict.acts - skipped.count) acts; faults, and what is about these jobs:")
    for line in shortest.traceOfViolations { print("    \(line)") }
    for (promise, found) in shortest.violations.sorted(by: { $0.key < $1.key }) {
      print("  \(promise): \(found.joined(separator: "\n    "))")
    }
  }
}

/// What many schedules have come to.
struct Tally {
  private(set) var schedules = 0
  var failed = 0
  private var events = 0
  private var jobs = 0
  private var sometimes: [Sometime: Int] = [:]
  private let began = ContinuousClock.now

  var missing: [Sometime] { Sometime.allCases.filter { sometimes[$0] ?? 0 == 0 } }

  mutating func add(_ verdict: Verdict) {
    schedules += 1
    if !verdict.holds { failed += 1 }
    events += verdict.events
    jobs += verdict.jobs
    sometimes.merge(verdict.sometimes) { $0 + $1 }
  }

  func show(from first: UInt64) {
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    let rate = String(format: "%.1f", Double(schedules) / seconds)
    print("states that schedules reach sometimes:")
    for state in Sometime.allCases {
      print(String(format: "%9d  ", sometimes[state] ?? 0) + state.rawValue)
    }
    print(
      "\(schedules) schedules from seed \(first) in \(Int(seconds)) s, \(rate) a second, with \(events / schedules) events "
        + "and \(jobs / schedules) jobs each: \(failed) broke a promise")
  }
}
