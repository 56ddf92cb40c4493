import Foundation
import JobModel
import Testing

@testable import Decisions

@Suite("When schedules fire next")
struct AgendaTests {
  /// 2027-01-15 08:00 UTC.
  private let start = Timestamp(milliseconds: 1_800_000_000_000)
  private let hourly: CronSchedule
  private let daily: CronSchedule
  private let never: CronSchedule

  init() throws {
    func schedule(_ name: String, _ expression: String) throws -> CronSchedule {
      try #require(
        CronSchedule(name: name, expression: try CronExpression(expression), timeZone: .utc, kind: "deposit"))
    }
    hourly = try schedule("hourly", "0 * * * *")
    daily = try schedule("daily", "30 10 * * *")
    never = try schedule("never", "0 0 30 2 *")
  }

  private var agenda: Agenda {
    Agenda([never, daily, hourly], since: ["hourly": start, "daily": start, "never": start])
  }

  @Test("nothing is due before the first time, and then only what fires at it")
  func first() {
    #expect(agenda.next == start + .seconds(3_600))
    #expect(agenda.due(at: start + .seconds(3_599), limit: .max).isEmpty)
    #expect(agenda.due(at: start + .seconds(3_600), limit: .max).map(\.schedule.name) == ["hourly"])
  }

  @Test("what has fired goes on; the others stay as they are")
  func others() {
    var changed = agenda
    let now = start + .seconds(3_600)
    changed.done(changed.due(at: now, limit: .max), at: now)
    #expect(changed.last(of: "hourly") == now)
    #expect(changed.last(of: "daily") == start)
    #expect(changed.due(at: now, limit: .max).isEmpty)
    #expect(changed.next == start + .seconds(7_200))
    #expect(changed.due(at: start + .seconds(9_000), limit: .max).map(\.schedule.name) == ["hourly", "daily"])
  }

  @Test("a schedule that does not fire for years is looked at once a day")
  func seldom() {
    var changed = Agenda([never], since: ["never": start])
    #expect(changed.next == start + Agenda.pause)
    let firings = changed.due(at: start + Agenda.pause, limit: .max)
    #expect(firings.flatMap(\.due.runs).isEmpty)
    changed.done(firings, at: start + Agenda.pause)
    #expect(changed.next == start + Agenda.pause * 2)
  }

  @Test("what fired by a clock that was ahead by more than a moment is named, and can begin anew")
  func ahead() {
    var changed = agenda
    let day = start + .seconds(86_400)
    changed.done(changed.due(at: day, limit: .max), at: day)
    #expect(changed.ahead(of: day).isEmpty)
    #expect(changed.ahead(of: day - CronSchedule.grace).isEmpty)
    #expect(Set(changed.ahead(of: start).map(\.name)) == ["hourly", "daily"])
    changed.begin(hourly, at: start)
    #expect(changed.next == start + .seconds(3_600))
    #expect(changed.ahead(of: start).map(\.name) == ["daily"])
  }
}
