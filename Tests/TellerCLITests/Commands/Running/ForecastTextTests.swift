import JobModel
import Testing

@testable import TellerCLI

@Suite("A forecast in words")
struct ForecastTextTests {
  private func status(waiting: Int = 0, isPaused: Bool = false, gates: [PlanName] = []) -> DepartmentStatus {
    DepartmentStatus(
      department: "loan", isOrdered: false, isPaused: isPaused, gates: gates, window: 10, cap: nil, tellers: 1,
      held: waiting + 5, delayed: 2, dependent: 3, void: 0, queued: 4, running: 1, succeeded: 7, failed: 0,
      cancelled: 0)
  }

  private func sentence(_ forecast: DepartmentForecast, _ status: DepartmentStatus? = nil) -> String {
    ForecastText.sentence(forecast, of: status ?? self.status())
  }

  @Test("says when the backlog clears, also with one more teller, and with those that come")
  func drains() {
    var forecast = DepartmentForecast(
      course: .drains, samples: 1_412, acceptedPerHour: 2_400, capacityPerHour: 4_320, loadPermille: 555,
      past: ForecastErrors(count: 17, medianPermille: 84, worstPermille: 310))
    forecast.drainsIn = .seconds(84)
    forecast.drainsInWithOneMore = .seconds(42)
    forecast.emptiesIn = .seconds(190)
    let board = DepartmentBoard(status: status(waiting: 96), forecast: forecast)
    #expect(
      ForecastText.lines(board) == [
        "loan: 100 wait, 1 run, 1 teller; 1,412 runs seen",
        "  backlog clears in 1 min 24 s (42 s with one more teller), in 3 min 10 s if jobs keep coming like this",
        "  40/min come, 1.2/s can be served: the tellers are needed 56 % of the time",
        "  the last 17 forecasts were wrong by 8 % in the middle, 31 % at worst",
      ])
  }

  @Test("says of a burst that is over what can be served, and no load")
  func burst() {
    var forecast = DepartmentForecast(
      course: .drains, samples: 91, capacityPerHour: 15_840,
      past: ForecastErrors(count: 2, medianPermille: 84, worstPermille: 310))
    forecast.drainsIn = .seconds(9)
    #expect(
      ForecastText.lines(DepartmentBoard(status: status(waiting: 39), forecast: forecast)).dropFirst() == [
        "  backlog clears in 9 s", "  4.4/s can be served",
        "  the last 2 forecasts were wrong by 8 % in the middle, 31 % at worst",
      ])
  }

  @Test("says by how much a department grows")
  func grows() {
    var forecast = DepartmentForecast(course: .grows, samples: 30, growsPerHour: 12 * 3_600)
    #expect(sentence(forecast) == "grows by 12/s, will not drain at this rate")
    forecast.drainsIn = .seconds(9)
    #expect(sentence(forecast) == "grows by 12/s, will not drain at this rate; the present jobs are done in 9 s")
  }

  @Test("says how long a job waits when the tellers keep up")
  func steady() {
    var forecast = DepartmentForecast(course: .steady, samples: 30)
    forecast.wait = .milliseconds(333)
    forecast.waitWithOneMore = .milliseconds(45)
    #expect(sentence(forecast) == "keeps up: a job waits 333 ms on average (45 ms with one more teller)")
    forecast.wait = nil
    #expect(sentence(forecast) == "keeps up", "nothing is said that the last minute does not bear out")
  }

  @Test("says why it is silent, and what to do")
  func silent() {
    let closed = DepartmentForecast(course: .silent, reason: .closed)
    #expect(
      sentence(DepartmentForecast(course: .silent, reason: .fewSamples, samples: 7))
        == "no forecast: 7 runs were seen in the last hour; it needs 30")
    #expect(
      sentence(DepartmentForecast(course: .silent, reason: .noTellers))
        == "no forecast: nobody serves the department: start a worker")
    #expect(
      sentence(DepartmentForecast(course: .silent, reason: .unsteady))
        == "no forecast: fewer jobs ended in the last minute than the runs before it promise")
    #expect(sentence(closed, status(isPaused: true)).hasSuffix("the department is paused: `teller resume loan`"))
    #expect(sentence(closed, status(gates: ["opening"])).hasSuffix("the department waits for opening"))
    #expect(sentence(DepartmentForecast(course: .idle)).hasPrefix("idle: "))
    #expect(sentence(DepartmentForecast(course: .init(rawValue: "later"))) == "later")
  }

  @Test("a rate is by the second, the minute or the hour", arguments: [(0, "0/s"), (3, "3/h"), (90, "1.5/min")])
  func rates(perHour: Int, text: String) { #expect(ForecastText.rate(perHour) == text) }
}
