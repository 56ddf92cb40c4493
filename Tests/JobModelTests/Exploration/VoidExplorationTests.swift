import Foundation
import Testing

@testable import JobModel

@Suite("Void releases, every interleaving", .serialized)
struct VoidExplorationTests {
  static let anyFault = Set(Fault.allCases)
  static let few: Set<Fault> = [.crash, .death, .purge]

  @Test("cancel", arguments: [true, false])
  func cancel(_ isCrowded: Bool) async {
    await expectClean(Setting(faults: [isCrowded ? Self.anyFault.subtracting([.purge]) : Self.anyFault], operations: [[.cancel]], isCrowded: isCrowded))
  }
  @Test("change")
  func change() async {
    await expectClean(Setting(faults: [Self.anyFault], operations: [[.rerank, .startBy]]))
  }
  @Test("two")
  func two() async {
    await expectClean(Setting(faults: [Self.few], operations: [[.rerank], [.cancel, .rerank]]))
  }
  @Test("adopt", arguments: [true, false])
  func adopt(_ isCrowded: Bool) async {
    await expectClean(Setting(faults: [isCrowded ? Self.anyFault.subtracting([.purge]) : Self.anyFault], adopts: true, isCrowded: isCrowded))
  }

  private func expectClean(_ setting: Setting) async {
    let start = Date()
    let result = await apart { Explorer.explore(setting) }
    print("explored \(result.states) states in \(Date().timeIntervalSince(start)) for \(setting)")
    print("  double", result.doubleRun as Any, "\n  late", result.lateRun as Any, "\n  dead", result.deadEnds, result.deadEnd as Any, "cut", result.cutShort, result.isIncomplete)
    #expect(result.doubleRun == nil)
  }
}
