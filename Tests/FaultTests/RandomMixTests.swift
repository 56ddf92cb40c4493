import AuditSupport
import Foundation
import TestSupport
import Testing

/// The long form of it: `Deploy/faults --minutes N --seed S --ahead A`.
extension FaultTests {
  @Suite("of any kind, one after the other")
  struct OfAnyKind {
    /// How long, without `TELLER_FAULT_MINUTES`.
    private static let time: Duration = .seconds(SeededRandom.length(30, long: 60))

    private static var givenTime: Duration {
      let minutes = ProcessInfo.processInfo.environment["TELLER_FAULT_MINUTES"].flatMap(Double.init)
      return minutes.map { .seconds($0 * 60) } ?? time
    }

    /// How many jobs a worker takes ahead: by chance none or some, so that both are harmed, or `TELLER_FAULT_AHEAD`.
    private static func ahead(_ random: inout SeededRandom) -> Int {
      // Drawn also where it is given: the faults of a seed stay the same.
      let drawn = Bool.random(using: &random) ? 3 : 0
      return ProcessInfo.processInfo.environment["TELLER_FAULT_AHEAD"].flatMap { Int($0) } ?? drawn
    }

    @Test("nothing is lost, and nothing has two outcomes")
    func mix() async throws {
      var random = SeededRandom(for: "faults as chance has it")
      let seed = random.seed
      let ahead = Self.ahead(&random)
      let broker = try await BrokerNode.start()
      let mix = Fault(
        name: "any, for \(Self.givenTime), seed \(seed), ahead \(ahead)", setting: .badLine, ahead: ahead,
        isInFirstVirtualHost: true
      ) { [random] stage in
        var mix = RandomMix(stage: stage, random: random)
        let faults = try await mix.run(for: Self.givenTime)
        let counts = faults.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        print("the mix of seed \(seed), ahead \(ahead): \(counts.joined(separator: "; "))")
        await stage.note(only: "\(faults.values.reduce(0, +)) faults")
      }
      try await Trial.run(mix, on: broker)
      FaultTable.shared.showCounts()
      try await broker.close()
    }
  }
}
