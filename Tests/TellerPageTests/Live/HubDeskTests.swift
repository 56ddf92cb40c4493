import JobModel
import Teller
import Testing

@testable import TellerPage

@Suite("What the hub decides")
struct HubDeskTests {
  private let start = ContinuousClock.now
  private let moment = Timestamp(milliseconds: 1)

  private func desk() -> HubDesk { HubDesk(now: moment) }

  /// The question that is due then.
  private func due(_ desk: inout HubDesk, _ now: ContinuousClock.Instant) throws -> HubDesk.Question {
    let question = desk.questionDue(now: now)
    return try #require(question)
  }

  private func entry(_ sequence: Int64) -> EventRing.Entry {
    EventRing.Entry(position: EventPosition(epoch: 1, sequence: sequence), json: Array("\(sequence)".utf8))
  }

  @Test("nobody is asked while nobody looks, and not more than one question is under way")
  func questions() throws {
    var desk = desk()
    #expect(desk.questionDue(now: start) == nil)
    let viewer = desk.open(["front"], after: nil, now: start)
    let question = try due(&desk, start)
    #expect(question.departments == ["front"])
    #expect(desk.questionDue(now: start + .seconds(60)) == nil)
    #expect(desk.answered(question.number, by: .played(through: 0)) == true)
    desk.close(viewer, now: start)
    #expect(desk.questionDue(now: start + .seconds(60)) == nil)
  }

  @Test("at most two questions a second while much happens, one while nothing does, for however many streams")
  func pace() throws {
    var desk = desk()
    for _ in 0..<50 { _ = desk.open(["front"], after: nil, now: start) }
    desk.began(now: start)
    func asked(_ now: ContinuousClock.Instant) -> Bool {
      guard let question = desk.questionDue(now: now) else { return false }
      return desk.answered(question.number, by: .played(through: 0))
    }
    #expect(asked(start))
    #expect(!asked(start + .milliseconds(999)))
    #expect(asked(start + .seconds(1)))
    _ = desk.take(entry(1), now: start + .seconds(1))
    #expect(!asked(start + .milliseconds(1_499)))
    #expect(asked(start + .milliseconds(1_500)))
    #expect(!asked(start + .milliseconds(2_000)))
  }

  @Test("the departments of all streams are asked for in one question; those that are not there are left out")
  func departments() throws {
    var desk = desk()
    _ = desk.open(["front", "nowhere"], after: nil, now: start)
    _ = desk.open(["back"], after: nil, now: start)
    let question = try due(&desk, start)
    #expect(question.departments == ["back", "front", "nowhere"])
    let problem = PageProblem(status: 409, code: JobFailure.Code.unknownDepartment, message: "there is no nowhere")
    desk.failed(question.number, problem)
    let second = try due(&desk, start + .seconds(1))
    #expect(second.departments.isEmpty)
    #expect(desk.answered(second.number, by: .played(through: 0)) == true)
    #expect(desk.questionDue(now: start + .seconds(2))?.departments == ["back", "front"])
  }

  @Test("with many departments a board takes several questions, and comes as much more seldom")
  func manyDepartments() throws {
    var desk = desk()
    for group in 0..<8 {
      _ = desk.open((0..<16).compactMap { Department("d\(group)-\($0)") }, after: nil, now: start)
    }
    let question = try due(&desk, start)
    #expect(question.departments.count == HubLimits.shown)
    #expect(desk.answered(question.number, by: .played(through: 0)) == true)
    #expect(desk.questionDue(now: start + .seconds(3)) == nil)
    #expect(desk.questionDue(now: start + .seconds(4)) != nil)
  }

  @Test("a late answer of an earlier question counts for nothing")
  func lateAnswer() throws {
    var desk = desk()
    _ = desk.open([], after: nil, now: start)
    let first = try due(&desk, start)
    desk.end()
    _ = desk.open([], after: nil, now: start)
    let second = try due(&desk, start + .seconds(5))
    #expect(desk.answered(first.number, by: .played(through: 0)) == false)
    #expect(desk.answered(second.number, by: .played(through: 0)) == true)
  }

  @Test("a board that was asked for before the stream was read is not followed by all events")
  func followed() throws {
    var desk = desk()
    let viewer = desk.open([], after: nil, now: start)
    let question = try due(&desk, start)
    desk.began(now: start + .milliseconds(1))
    #expect(desk.answered(question.number, by: .played(through: 5)) == true)
    #expect(desk.take(for: viewer, now: start) == nil)
    let second = try due(&desk, start + .seconds(1))
    #expect(desk.answered(second.number, by: .played(through: 6)) == true)
    #expect(desk.take(for: viewer, now: start) == .picture)
  }

  @Test("the first event goes out at once, the next ones together")
  func release() {
    var desk = desk()
    #expect(desk.take(entry(1), now: start) == .now)
    let due = start + HubLimits.eventsPause
    #expect(desk.take(entry(2), now: start + .milliseconds(1)) == .at(due))
    #expect(desk.take(entry(3), now: start + .milliseconds(2)) == .known)
    #expect(desk.supply.released == 1)
    desk.release(now: due)
    #expect(desk.supply.released == 3)
    #expect(desk.take(entry(4), now: due + HubLimits.eventsPause) == .now)
  }

  @Test("a flood is released, too: what was not goes with the ring")
  func flood() {
    var desk = HubDesk(now: moment, ring: 10)
    var released = 0
    for sequence in 1...1_000 as ClosedRange<Int64> where desk.take(entry(sequence), now: start) != .known {
      released += 1
    }
    #expect(released >= 2)
    desk.release(now: start + HubLimits.eventsPause)
    #expect(desk.supply.released == desk.supply.ring.end)
  }

  @Test("a beat every two seconds, for all streams the same")
  func beats() {
    var desk = desk()
    _ = desk.open([], after: nil, now: start)
    #expect(desk.tick(.connected, now: start, moment: moment).wakes)
    #expect(!desk.tick(.connected, now: start + .milliseconds(1_900), moment: moment).wakes)
    #expect(desk.tick(.connected, now: start + .seconds(2), moment: moment).wakes)
    #expect(desk.supply.beat == 2)
  }

  @Test("a question without an answer makes the state slow, and an answer makes it well again")
  func silence() throws {
    var desk = desk()
    _ = desk.open([], after: nil, now: start)
    let question = try due(&desk, start)
    _ = desk.tick(.connected, now: start + .seconds(1), moment: moment)
    #expect(desk.state == .connected)
    _ = desk.tick(.connected, now: start + HubLimits.silence, moment: Timestamp(milliseconds: 7))
    #expect(desk.state.level == .slow)
    #expect(desk.stateSince == Timestamp(milliseconds: 7))
    #expect(desk.answered(question.number, by: .played(through: 0)) == true)
    _ = desk.tick(.connected, now: start + .seconds(4), moment: moment)
    #expect(desk.state == .connected)
  }

  @Test("some time after the last stream the work is over; who comes again before keeps it going")
  func linger() {
    var desk = desk()
    let viewer = desk.open([], after: nil, now: start)
    desk.close(viewer, now: start)
    #expect(!desk.tick(.connected, now: start + HubLimits.linger - .seconds(1), moment: moment).isOver)
    let second = desk.open([], after: nil, now: start + .seconds(59))
    #expect(!desk.tick(.connected, now: start + HubLimits.linger * 2, moment: moment).isOver)
    desk.close(second, now: start + HubLimits.linger * 2)
    #expect(desk.tick(.connected, now: start + HubLimits.linger * 3, moment: moment).isOver)
  }

  @Test("the reading goes on behind the last event; when some are lost, all streams get a new picture")
  func missed() throws {
    var desk = desk()
    let viewer = desk.open([], after: nil, now: start)
    desk.began(now: start)
    let question = try due(&desk, start)
    #expect(desk.answered(question.number, by: .played(through: 0)) == true)
    #expect(desk.take(for: viewer, now: start) == .picture)
    #expect(desk.resumption == nil)
    _ = desk.take(entry(1), now: start)
    #expect(desk.resumption == EventPosition(epoch: 1, sequence: 1))
    desk.missed()
    #expect(desk.resumption == nil)
    #expect(desk.take(for: viewer, now: start) == nil)
  }
}

@Suite("How page, broker and coordinator stand")
struct PageStateTests {
  @Test("what is worse counts")
  func order() {
    let noCoordinator = PageProblem(status: 503, code: "no_coordinator", message: "x")
    let noBroker = PageProblem(status: 503, code: "no_broker", message: "refused")
    func level(_ standing: ClientStanding, _ answers: PageState.Answers = .init()) -> PageState.Level {
      PageState.of(standing, answers).level
    }
    #expect(level(.connected) == .connected)
    #expect(level(.lost(reason: "x")) == .lost)
    #expect(level(.blocked(reason: "x")) == .slow)
    #expect(level(.connected, .init(waiting: HubLimits.silence)) == .slow)
    #expect(level(.connected, .init(problem: noCoordinator)) == .slow)
    #expect(level(.connected, .init(problem: noBroker)) == .lost)
    #expect(level(.connected, .init(broker: .blocked)) == .slow)
    #expect(level(.connected, .init(broker: .lost)) == .slow)
    #expect(level(.lost(reason: "x"), .init(broker: .connected)) == .lost)
    #expect(PageState.of(.blocked(reason: "memory"), .init()).reason == "the broker takes nothing now: memory")
  }
}
