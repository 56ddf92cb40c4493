import Foundation
import TestSupport
import Testing

@testable import JobModel

@Suite("Cron expressions against a walk through every minute")
struct CronPropertyTests {
  static let zones = [
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "America/Sao_Paulo",
    "Asia/Kathmandu", "Africa/Casablanca", "Pacific/Apia", "Asia/Beirut", "Antarctica/Troll", "Pacific/Chatham",
    "Europe/London", "Asia/Pyongyang", "America/Caracas",
  ]

  /// What did not agree; the walks take seconds, so they have a thread of their own.
  private func differences(
    _ find: @escaping @Sendable () throws -> (firings: Int, differences: [String])
  ) async throws -> (firings: Int, differences: [String]) {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try find() }) }
    }
  }

  @Test("the next and the latest firings are those that a slow walk finds, in any zone")
  func walks() async throws {
    let found = try await differences {
      var random = SeededRandom(for: "cron expressions")
      var result = (firings: 0, differences: [String]())
      for round in 0..<30 {
        let zone = try zone(Self.zones[round % Self.zones.count])
        let clock = SlowClock(zone, around: SlowClock.interestingMinute(of: zone, using: &random))
        for _ in 0..<20 {
          let cron = RandomCron(using: &random)
          let firings = clock.firings(of: cron)
          result.firings += firings.count
          result.differences += try differences(of: cron, firings, clock, using: &random)
        }
      }
      return result
    }
    #expect(found.firings > 2_000)
    #expect(found.differences.isEmpty, "\(found.differences.prefix(5).joined(separator: "\n"))")
  }

  private func differences(
    of cron: RandomCron, _ firings: [Int], _ clock: SlowClock, using random: inout SeededRandom
  ) throws -> [String] {
    let expression = try CronExpression(cron.text)
    var differences: [String] = []
    for _ in 0..<10 {
      let ends = (0..<2).map { _ in
        Int64.random(in: Int64(clock.start) * 60_000..<Int64(clock.end) * 60_000, using: &random)
      }
      let (start, end) = (Timestamp(milliseconds: ends.min() ?? 0), Timestamp(milliseconds: ends.max() ?? 0))
      let limit = Int.random(in: 1...20, using: &random)
      let times = firings.map { Timestamp(milliseconds: Int64($0) * 60_000) }
      let next = expression.next(after: start, in: clock.zone)
      let expected = times.first { $0 > start }
      let isBeyond = expected == nil && next.map { $0.milliseconds > Int64(clock.end) * 60_000 } ?? true
      if next != expected, !isBeyond {
        differences.append(
          "\(cron.text) in \(clock.zone.name) after \(start): \(next as Any), not \(expected as Any)")
      }
      let latest = expression.latest(limit, after: start, through: end, in: clock.zone)
      let expectedLatest = times.filter { $0 > start && $0 <= end }.suffix(limit)
      if latest != Array(expectedLatest) {
        differences.append(
          "\(cron.text) in \(clock.zone.name) after \(start) through \(end), the latest \(limit)")
      }
    }
    return differences
  }

  @Test("the rarest day is the one that a walk through every day of 400 years finds, or there is none")
  func rarest() async throws {
    let found = try await differences {
      var random = SeededRandom(for: "the rarest days")
      var result = (firings: 0, differences: [String]())
      for _ in 0..<12 {
        // Both day fields count when one begins with a star.
        let day = Int.random(in: 28...31, using: &random)
        let text = "0 12 \(day) \(Int.random(in: 1...3, using: &random)) */\(Int.random(in: 6...7, using: &random))"
        let expression = try CronExpression(text)
        let start = Int.random(in: 0..<CalendarDay.cycle, using: &random)
        let expected = (start + 1...start + CalendarDay.cycle).first { expression.allows(CalendarDay($0)) }
        let from = Timestamp(milliseconds: Int64(start) * 86_400_000 + 43_200_000)
        let next = expression.next(after: from, in: .utc)
        if expected != nil { result.firings += 1 }
        if next != expected.map({ Timestamp(milliseconds: Int64($0) * 86_400_000 + 43_200_000) }) {
          result.differences.append("\(text) after day \(start)")
        }
        if expression.neverFires != (expected == nil) { result.differences.append("\(text) never fires") }
      }
      return result
    }
    #expect(found.firings > 3)
    #expect(found.differences.isEmpty, "\(found.differences.joined(separator: "\n"))")
  }

  @Test("a rare day is the one that a walk through some years finds")
  func days() async throws {
    let found = try await differences {
      var random = SeededRandom(for: "rare days")
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = .gmt
      // From 2020, ten years.
      let days = (18_262..<21_915).map { day in
        calendar.dateComponents([.month, .day, .weekday], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      }
      var result = (firings: 0, differences: [String]())
      for _ in 0..<1_000 {
        var cron = RandomCron(using: &random)
        (cron.minutes, cron.hours) = (.init(text: "30", values: [30]), .init(text: "12", values: [12]))
        let start = Int.random(in: 0..<1_800, using: &random)
        let expected = days.indices[(start + 1)...].first { place in
          let day = days[place]
          return cron.allows(month: day.month ?? 0, dayOfMonth: day.day ?? 0, weekday: (day.weekday ?? 0) - 1)
        }
        let from = Timestamp(milliseconds: Int64(18_262 + start) * 86_400_000 + 45_000_000)
        let next = try CronExpression(cron.text).next(after: from, in: .utc)
        let expectedTime = expected.map { Timestamp(milliseconds: Int64(18_262 + $0) * 86_400_000 + 45_000_000) }
        if expected != nil { result.firings += 1 }
        let isBeyond = expected == nil && next.map { $0.milliseconds >= 21_915 * 86_400_000 } ?? true
        if next != expectedTime, !isBeyond { result.differences.append("\(cron.text) after day \(start)") }
      }
      return result
    }
    #expect(found.firings > 500)
    #expect(found.differences.isEmpty, "\(found.differences.prefix(5).joined(separator: "\n"))")
  }
}
