import Decisions
import Foundation
import JobModel
import TestSupport
import Testing

/// A department without a broker, in a time of its own: customers come, tellers serve them in their order, and the flow
/// counts it as the coordinator does.
private struct SimulatedDay {
  let tellers: Int
  let flows = Flows(since: .zero)
  private(set) var waits: [Double] = []
  /// What each forecast said, and how long it took.
  private(set) var forecasts: [(said: Double, took: Double)] = []
  private var open: [(made: Double, said: Double, jobs: Int)] = []
  private var freeAt: [Double]

  init(tellers: Int) {
    self.tellers = tellers
    freeAt = Array(repeating: 0, count: tellers)
  }

  /// The moments of all arrivals and ends, of customers who come then and take so long.
  private mutating func serve(_ customers: [(at: Double, takes: Double)]) -> [(at: Double, ran: Double?)] {
    var moments: [(at: Double, ran: Double?)] = []
    for customer in customers {
      let teller = freeAt.indices.min { freeAt[$0] < freeAt[$1] } ?? 0
      let begin = max(customer.at, freeAt[teller])
      freeAt[teller] = begin + customer.takes
      waits.append(begin - customer.at)
      moments += [(customer.at, nil), (begin + customer.takes, customer.takes)]
    }
    return moments.sorted { $0.at < $1.at }
  }

  /// The flow counts what happens until then.
  mutating func play(_ customers: [(at: Double, takes: Double)], until close: Double = .infinity) {
    var (unfinished, looked) = (0, 0.0)
    for moment in serve(customers) where moment.at <= close {
      unfinished += moment.ran == nil ? 1 : -1
      var turn = FlowTurn(unfinished: unfinished)
      if let ran = moment.ran { turn.ran = [.microseconds(Int64(ran * 1e6))] } else { turn.accepted = 1 }
      flows.count(turn, in: "work", at: duration(moment.at), Timestamp(milliseconds: Int64(moment.at * 1_000)))
      if moment.ran != nil { end(at: moment.at) }
      if moment.at > looked + 1 {
        looked = moment.at
        look(unfinished, at: moment.at)
      }
    }
  }

  private mutating func end(at now: Double) {
    for index in open.indices { open[index].jobs -= 1 }
    forecasts += open.filter { $0.jobs == 0 }.map { ($0.said, now - $0.made) }
    open.removeAll { $0.jobs == 0 }
  }

  private mutating func look(_ unfinished: Int, at now: Double) {
    var said: Duration?
    flows.look(at: "work", unfinished: unfinished, at: duration(now), Timestamp(milliseconds: Int64(now * 1_000))) {
      rates in
      let running = min(unfinished, tellers)
      let subject = ForecastSubject(waiting: unfinished - running, running: running, tellers: tellers, rates: rates)
      said = subject.forecast.drainsIn
      return subject
    }
    if let said, said >= .seconds(1) { open.append((now, said.inSeconds, unfinished)) }
  }

  func rates(at now: Double) -> FlowRates { flows.rates(of: "work", at: duration(now)) }

  private func duration(_ seconds: Double) -> Duration { .microseconds(Int64(seconds * 1e6)) }
}

@Suite("Forecasts of simulated days")
struct SimulatedDays {
  private func exponential(_ mean: Double, _ random: inout SeededRandom) -> Double {
    -mean * log(Double.random(in: 0x1p-60..<1, using: &random))
  }

  @Test("of a backlog are right to a sixth in the middle", arguments: [1, 2, 5, 20])
  func backlog(tellers: Int) throws {
    var random = SeededRandom(for: "backlog")
    var day = SimulatedDay(tellers: tellers)
    // All come in the first ten seconds, and take 0.7 or 1.1 s, as at the bank.
    let customers = (0..<(100 * tellers)).map { index in
      (at: Double(index) / Double(10 * tellers), takes: [0.7, 1.1].randomElement(using: &random) ?? 0.7)
    }
    day.play(customers)
    let errors = day.forecasts.map { abs($0.said - $0.took) / $0.took }.sorted()
    try #require(errors.count > 20)
    #expect(errors[errors.count / 2] < 0.15, "median \(errors[errors.count / 2]) of \(errors.count)")
    #expect((day.flows.errors(of: "work")?.count ?? 0) > 0)
  }

  @Test("of steady days say how long a job waits, to a fifth", arguments: [(1, 0.7), (3, 0.8), (10, 0.9)])
  func steady(tellers: Int, load: Double) throws {
    var random = SeededRandom(for: "steady")
    // Of one day chance makes half of a long wait: a queue that is long stays long for many customers.
    let days = (0..<21).map { _ in steadyDay(tellers, load, &random) }
    // One look in some hundred takes chance for more arrivals than can be served: it names no wait.
    let said = days.map { day in
      let subject = ForecastSubject(waiting: 0, running: 1, tellers: tellers, rates: day.rates(at: SimulatedDays.close))
      return subject.forecast.wait?.inSeconds ?? .infinity
    }.sorted()
    let seen = days.map { $0.waits.reduce(0, +) / Double($0.waits.count) }.sorted()
    let (middle, mean) = (said[said.count / 2], seen.reduce(0, +) / Double(seen.count))
    // The forecast has whole milliseconds.
    #expect(abs(middle - mean) < 0.2 * mean + 0.001, "said \(said), was \(seen)")
  }

  /// The five minutes that the rates are made of.
  private static let close = 300.0

  /// Five minutes with about 20,000 customers. They still come when the forecast is made.
  private func steadyDay(_ tellers: Int, _ load: Double, _ random: inout SeededRandom) -> SimulatedDay {
    var day = SimulatedDay(tellers: tellers)
    var (now, customers) = (0.0, [(at: Double, takes: Double)]())
    while now < SimulatedDays.close {
      now += exponential(0.01 / load, &random)
      customers.append((now, exponential(0.01 * Double(tellers), &random)))
    }
    day.play(customers, until: SimulatedDays.close)
    return day
  }
}
