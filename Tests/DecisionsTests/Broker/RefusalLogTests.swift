import Testing

@testable import Decisions

@Suite("What is refused")
struct RefusalLogTests {
  private var log = RefusalLog()

  /// So many come at once; how many of them are logged.
  private mutating func refuse(_ count: Int, _ subject: RefusalLog.Subject = .submission, at now: Duration) -> Int {
    (0..<count).filter { _ in log.admits(subject, at: now) }.count
  }

  @Test("has a line each, up to a number; what comes then within the interval is counted, and told in one line")
  mutating func bounded() {
    #expect(refuse(5_000, at: .zero) == RefusalLog.limit)
    #expect(log.takeSilent(at: .seconds(59)).isEmpty)
    let told = log.takeSilent(at: .seconds(60))
    #expect(told.map(\.subject) == [.submission])
    #expect(told.map(\.count) == [5_000 - RefusalLog.limit])
    #expect(log.takeSilent(at: .seconds(200)).isEmpty)
  }

  @Test("begins a new interval with the first one that comes later")
  mutating func again() {
    #expect(refuse(RefusalLog.limit + 1, at: .zero) == RefusalLog.limit)
    _ = log.takeSilent(at: .seconds(60))
    #expect(refuse(3, at: .seconds(100)) == 3)
    #expect(log.takeSilent(at: .seconds(159)).isEmpty)
    #expect(log.takeSilent(at: .seconds(160)).isEmpty, "all of them had a line")
  }

  @Test("is counted by its sort: a flood of one does not hide another")
  mutating func subjects() {
    #expect(refuse(1_000, at: .zero) == RefusalLog.limit)
    #expect(refuse(2, .command, at: .seconds(1)) == 2)
    #expect(log.takeSilent(at: .seconds(90)).map(\.subject) == [.submission])
  }
}
