import Testing

@testable import Decisions
@testable import JobModel

@Suite("The patience of suspects with jobs that were running at one death")
struct PatienceTests {
  private var patience = Patience(limit: .seconds(600))

  /// Whether the next one of the line waits no longer, at each second.
  private mutating func ends(
    _ obstacle: Suspects.Obstacle?, in line: Department = "work", at seconds: Int...
  ) -> [Bool] {
    seconds.map { patience.ends(for: line, obstacle, at: .seconds($0)) }
  }

  @Test("ends after its limit, however many there are, and the next one of the line waits anew")
  mutating func company() {
    #expect(ends(.company, at: 100, 400, 699, 700) == [false, false, false, true])
    #expect(ends(.company, at: 701, 1_300, 1_301) == [false, false, true])
  }

  @Test("is only for those: another suspect is waited for until it ends")
  mutating func suspect() {
    #expect(ends(.suspect, at: 0, 10_000) == [false, false])
    #expect(ends(.company, at: 10_001, 10_600) == [false, false])
    #expect(ends(.suspect, at: 10_601) == [false])
    #expect(ends(.company, at: 10_602) == [true])
  }

  @Test("is not used up while the line waits for something else")
  mutating func paused() {
    #expect(ends(.company, at: 0) == [false])
    patience.pause(for: "work")
    #expect(ends(.company, at: 600, 1_199, 1_200) == [false, false, true])
  }

  @Test("is not needed where nothing is in the way, and each line has its own")
  mutating func lines() {
    #expect(ends(nil, at: 0) == [true])
    #expect(ends(.company, at: 0) == [false])
    #expect(ends(.company, in: "other", at: 599) == [false])
    patience.retain { $0 == "other" }
    #expect(ends(.company, at: 600) == [false])
    #expect(ends(.company, in: "other", at: 1_199) == [true])
  }
}
