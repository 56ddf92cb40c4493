import Decisions
import JobModel
import TestSupport
import Testing

@Suite("What a department has accepted and ended in the last minute")
struct RecentJobsTests {
  private func at(_ seconds: Double) -> Duration { .milliseconds(Int64(seconds * 1_000)) }

  @Test("is counted for sixty seconds, and then forgotten, second by second")
  func passes() {
    let jobs = RecentJobs()
    jobs.count(accepted: 3, ended: 1, in: "work", at: at(5.9))
    jobs.count(accepted: 2, ended: 4, in: "work", at: at(64))
    #expect(jobs.counts(of: "work", at: at(64.9)) == .init(accepted: 5, ended: 5))
    #expect(jobs.counts(of: "work", at: at(65)) == .init(accepted: 2, ended: 4))
    #expect(jobs.counts(of: "work", at: at(123)) == .init(accepted: 2, ended: 4))
    #expect(jobs.counts(of: "work", at: at(124)) == .init())
    jobs.count(accepted: 1, ended: 0, in: "work", at: at(1_000_000))
    #expect(jobs.counts(of: "work", at: at(1_000_000)) == .init(accepted: 1, ended: 0))
  }

  @Test("is counted for each department by itself")
  func departments() {
    let jobs = RecentJobs()
    jobs.count(accepted: 3, ended: 0, in: "work", at: at(1))
    jobs.count(accepted: 0, ended: 2, in: "init", at: at(1))
    #expect(jobs.counts(of: "work", at: at(2)) == .init(accepted: 3, ended: 0))
    #expect(jobs.counts(of: "init", at: at(2)) == .init(accepted: 0, ended: 2))
    #expect(jobs.counts(of: "other", at: at(2)) == .init())
  }

  @Test("is what a list of all jobs would say, however the seconds follow each other")
  func property() {
    var random = SeededRandom(for: "recent jobs")
    var ring = RecentCounts()
    var all: [(second: Int64, accepted: Int, ended: Int)] = []
    var second: Int64 = -90
    for _ in 0..<3_000 {
      second += [0, 0, 1, 1, 2, 59, 60, 61, 200].randomElement(using: &random) ?? 0
      let counts = (accepted: Int.random(in: 0...9, using: &random), ended: Int.random(in: 0...9, using: &random))
      ring.add(.init(accepted: counts.accepted, ended: counts.ended), at: .seconds(second))
      all.append((second, counts.accepted, counts.ended))
      let asked = second + (Int64.random(in: 0...70, using: &random))
      let recent = all.filter { $0.second > asked - RecentCounts.seconds }
      let sum = ring.sum(at: .seconds(asked))
      #expect(sum.accepted == recent.reduce(0) { $0 + $1.accepted } && sum.ended == recent.reduce(0) { $0 + $1.ended })
      all = Array(all.suffix(300))
    }
  }
}
