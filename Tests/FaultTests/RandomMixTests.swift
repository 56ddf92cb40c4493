import Foundation
import TestSupport
import Testing

/// The long form of it: `Deploy/faults --minutes N --seed S`.
extension FaultTests {
  @Suite("of any kind, one after the other")
  struct OfAnyKind {
    /// How long, without `TELLER_FAULT_MINUTES`.
    private static let time: Duration = .seconds(SeededRandom.length(30, long: 60))

    private static var givenTime: Duration {
      let minutes = ProcessInfo.processInfo.environment["TELLER_FAULT_MINUTES"].flatMap(Double.init)
      return minutes.map { .seconds($0 * 60) } ?? time
    }

    @Test("nothing is lost, and nothing has two outcomes")
    func mix() async throws {
      let random = SeededRandom(for: "faults as chance has it")
      let broker = try await BrokerNode.start()
      let mix = Fault(
        name: "any, for \(Self.givenTime), seed \(random.seed)", setting: .badLine, isInFirstVirtualHost: true
      ) {
        stage in
        var mix = RandomMix(stage: stage, random: random)
        let faults = try await mix.run(for: Self.givenTime)
        let counts = faults.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        print("the mix of seed \(random.seed): \(counts.joined(separator: "; "))")
        await stage.note(only: "\(faults.values.reduce(0, +)) faults")
      }
      try await Trial.run(mix, on: broker)
      FaultTable.shared.showCounts()
      try await broker.close()
    }
  }
}
