import JobModel

/// A forecast in words.
enum ForecastText {
  /// The forecast of a department, as lines for people.
  static func lines(_ board: DepartmentBoard) -> [String] {
    let (status, forecast) = (board.status, board.forecast)
    let head = "\(status.department): \(counts(status)); \(forecast.samples.grouped) runs seen"
    return [head, "  " + sentence(forecast, of: status)] + more(forecast).map { "  " + $0 }
  }

  /// What is to be expected, in one sentence.
  static func sentence(_ forecast: DepartmentForecast, of status: DepartmentStatus) -> String {
    switch forecast.course {
    case .silent: "no forecast: " + silence(forecast, of: status)
    case .idle: "idle: no job waits or runs, and none has come"
    case .drains: drains(forecast)
    case .grows:
      "grows by \(rate(forecast.growsPerHour ?? 0)), will not drain at this rate"
        + (forecast.drainsIn.map { "; the present jobs are done in \($0.inWords)" } ?? "") + oneMore(forecast)
    case .steady: "keeps up" + (forecast.wait.map { wait($0, forecast) } ?? "")
    default: forecast.course.rawValue
    }
  }

  private static func wait(_ wait: Duration, _ forecast: DepartmentForecast) -> String {
    ": a job waits \(wait.inWords) on average"
      + (forecast.waitWithOneMore.map { " (\($0.inWords) with one more teller)" } ?? "")
  }

  private static func drains(_ forecast: DepartmentForecast) -> String {
    "backlog clears in \(forecast.drainsIn?.inWords ?? "a moment")" + oneMore(forecast)
      + (forecast.emptiesIn.map { ", in \($0.inWords) if jobs keep coming like this" } ?? "")
  }

  private static func oneMore(_ forecast: DepartmentForecast) -> String {
    forecast.drainsInWithOneMore.map { " (\($0.inWords) with one more teller)" } ?? ""
  }

  private static func silence(_ forecast: DepartmentForecast, of status: DepartmentStatus) -> String {
    switch forecast.reason {
    case .fewSamples?:
      "\(forecast.samples) runs were seen in the last hour; it needs \(DepartmentForecast.fewestSamples)"
    case .noTellers?: "nobody serves the department: start a worker"
    case .unsteady?: "fewer jobs ended in the last minute than the runs before it promise"
    case .blocked?: "the jobs that wait have no handler, or are suspects: `teller explain` tells it of each"
    case .closed? where !status.isConfigured: "the department is not configured: name it in teller.yaml"
    case .closed? where status.isPaused: "the department is paused: `teller resume \(status.department)`"
    case .closed? where !status.gates.isEmpty:
      "the department waits for \(status.gates.map(\.name).joined(separator: ", "))"
    case .closed?: "the department releases no job now"
    default: forecast.reason?.rawValue ?? ""
    }
  }

  private static func more(_ forecast: DepartmentForecast) -> [String] {
    guard forecast.capacityPerHour > 0 else { return [] }
    return [rates(forecast), past(forecast.past)].compactMap { $0 }
  }

  /// The arrivals only where the last minute bears them out.
  private static func rates(_ forecast: DepartmentForecast) -> String {
    let served = "\(rate(forecast.capacityPerHour)) can be served"
    guard let load = forecast.loadPermille else { return served }
    return "\(rate(forecast.acceptedPerHour)) come, \(served): "
      + (load > 1_000
        ? "\(percent(load)) of what can be served" : "the tellers are needed \(percent(load)) of the time")
  }

  private static func past(_ errors: ForecastErrors?) -> String? {
    errors.map {
      "the last \($0.count == 1 ? "forecast was" : "\($0.count) forecasts were") wrong by "
        + "\(percent($0.medianPermille)) in the middle, \(percent($0.worstPermille)) at worst"
    }
  }

  /// `20 wait, 2 run, 2 tellers`.
  static func counts(_ status: DepartmentStatus) -> String {
    return "\(status.waiting.grouped) wait, \(status.running.grouped) run, "
      + "\(status.tellers.grouped) \(status.tellers == 1 ? "teller" : "tellers")"
  }

  /// `12/s`, or by the minute or the hour where that is less than one: `40/min`, `3/h`.
  static func rate(_ perHour: Int) -> String {
    let rate = Double(perHour)
    if perHour >= 3_600 || perHour == 0 { return StatusText.rate(rate / 3_600) + "/s" }
    return perHour >= 60 ? StatusText.rate(rate / 60) + "/min" : "\(perHour)/h"
  }

  private static func percent(_ permille: Int) -> String {
    permille < 10 ? "less than 1 %" : "\((permille + 5) / 10) %"
  }
}
