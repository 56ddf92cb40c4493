import Decisions
import JobModel
import TestSupport

/// A department in a time of its own, which can be looked at as the coordinator does: once a second. It knows at each moment
/// how many jobs waited or ran before.
struct PlayedDepartment {
  static let step = 0.25

  var tellers: Int
  /// How long a job runs: from half of it to one and a half times of it.
  var service: Double
  let flows = Flows(since: .zero)
  private(set) var now = 0.0
  private(set) var waiting = 0
  /// When each running job ends, and how long it runs.
  private(set) var running: [(end: Double, ran: Double)] = []
  /// How many waited or ran after each step, and how many had come in it.
  private(set) var record: [(at: Double, level: Int, entered: Int)] = [(0, 0, 0)]
  private var random: SeededRandom

  init(tellers: Int, service: Double, _ random: SeededRandom) {
    (self.tellers, self.service, self.random) = (tellers, service, random)
  }

  var level: Int { waiting + running.count }

  /// Goes on by one step. Of the jobs that wait, so many are cancelled.
  mutating func go(arrivals: Int = 0, cancelled: Int = 0) {
    now += PlayedDepartment.step
    var turn = FlowTurn(unfinished: 0)
    turn.ran = running.filter { $0.end <= now }.map { .milliseconds(Int64($0.ran * 1_000)) }
    running.removeAll { $0.end <= now }
    turn.endedUnrun = min(cancelled, waiting)
    turn.accepted = arrivals
    waiting += arrivals - turn.endedUnrun
    while running.count < tellers, waiting > 0 {
      let ran = service * Double.random(in: 0.5...1.5, using: &random)
      waiting -= 1
      running.append((now + ran, ran))
    }
    (turn.unfinished, turn.servable) = (level, level)
    flows.count(turn, in: "work", at: moment, Timestamp(milliseconds: Int64(now * 1_000)))
    record.append((now, level, arrivals))
  }

  private var moment: Duration { .milliseconds(Int64(now * 1_000)) }

  /// What the board shows, as the coordinator's clock looks at it.
  func look() -> DepartmentForecast {
    var forecast = DepartmentForecast(course: .idle)
    flows.look(at: "work", unfinished: level, at: moment, Timestamp(milliseconds: Int64(now * 1_000))) { rates in
      let subject = ForecastSubject(
        waiting: waiting, running: running.count, tellers: tellers, isOpen: tellers > 0, rates: rates)
      forecast = subject.forecast
      return subject
    }
    forecast.past = flows.errors(of: "work")
    return forecast
  }

  /// What is on record of this time before now, and a moment more: slots have a width of two seconds.
  func levels(ago seconds: Double) -> [Int] {
    let these = record.filter { $0.at >= now - seconds - 2 && $0.at <= now - seconds }.map(\.level)
    return these.isEmpty ? [0] : these
  }

  /// How many came in this time.
  func entered(within seconds: Double) -> Int {
    record.reduce(0) { $0 + ($1.at > now - seconds ? $1.entered : 0) }
  }
}
