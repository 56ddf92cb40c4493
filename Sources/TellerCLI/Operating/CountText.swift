import Foundation
import Teller

/// How many jobs a command about many jobs would change, for people.
enum CountText {
  /// `Cancel all 61,000 jobs of kind letter in department loan (60,000 held, 990 queued, 10 running)?`
  static func question(_ count: JobCount) -> String { "\(verb(count).capitalized) \(jobs(count))?" }

  /// `would cancel all 61,000 jobs (60,000 held, 990 queued, 10 running)`, or that there is nothing to do.
  static func line(_ count: JobCount) -> String {
    if !count.isNothing { return "would \(verb(count)) \(jobs(count))" }
    let none =
      isOfFailed(count)
      ? "no failed job\(scope(count)) is left"
      : isOfRestored(count) ? "no restored job\(scope(count)) is held" : "no job\(scope(count)) waits or runs"
    return "nothing to \(verb(count)): \(none)"
  }

  private static func verb(_ count: JobCount) -> String {
    switch count.action {
    case .replay: "replay"
    case .drop, .dropRestored: "drop"
    case .acceptRestored: "accept"
    default: "cancel"
    }
  }

  private static func isOfFailed(_ count: JobCount) -> Bool { [.replay, .drop].contains(count.action) }

  private static func isOfRestored(_ count: JobCount) -> Bool {
    [.acceptRestored, .dropRestored].contains(count.action)
  }

  private static func jobs(_ count: JobCount) -> String {
    let noun = isOfFailed(count) ? "failed job" : isOfRestored(count) ? "restored job" : "job"
    let all = number(count.jobs, noun) + scope(count)
    if isOfFailed(count) || isOfRestored(count) { return all }
    let states = [(count.held, "held"), (count.queued, "queued"), (count.running, "running")]
    let plans = count.plans == 0 ? "" : " and \(number(count.plans, "running plan"))"
    return "\(all) (\(states.map { "\($0.grouped) \($1)" }.joined(separator: ", ")))" + plans
  }

  /// `1 job`, `all 61,000 jobs`.
  private static func number(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "all \(count.grouped) \(noun)s"
  }

  private static func scope(_ count: JobCount) -> String {
    (count.kind.map { " of kind \($0)" } ?? "") + (count.department.map { " in department \($0)" } ?? "")
      + (count.filter?.words.map { " with \($0)" } ?? "")
  }
}

extension JobCount {
  var isNothing: Bool { jobs == 0 && plans == 0 }
}

extension Int {
  /// With a comma before each three digits: `61,000`.
  var grouped: String {
    let digits = Array(String(magnitude))
    let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[Swift.max(0, $0 - 3)..<$0]) }
    return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }
}
