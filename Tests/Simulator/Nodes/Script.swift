import JobModel
import Teller

/// What the handler of a job does, by the job's kind and payload: `MS` or `MS WORD NUMBER`.
struct Script: Sendable {
  enum Act: String, Sendable {
    case succeed, fail, hopeless, snooze, discard, hang, deaf, wait, later, kill, pause
  }

  var length: Duration
  var act = Act.succeed
  /// How many attempts, or runs, do so; the next one succeeds.
  var times = 1

  /// How long a run puts its job off.
  static let snooze: Duration = .milliseconds(700)
  /// How much later than its failure a run asks to be tried again at the earliest.
  static let laterThan: Duration = .milliseconds(900)

  init(length: Duration, _ act: Act = .succeed, times: Int = 1) {
    (self.length, self.act, self.times) = (length, act, times)
  }

  init(_ payload: [UInt8]) {
    let words = String(decoding: payload, as: UTF8.self).split(separator: " ").map { $0.filter { $0 != "\"" } }
    length = .milliseconds(words.first.flatMap { Int($0) } ?? 5)
    if words.count == 3 { (act, times) = (Act(rawValue: words[1]) ?? .succeed, Int(words[2]) ?? 1) }
  }

  var payload: [UInt8] { Array("\"\(Int(length / .milliseconds(1))) \(act.rawValue) \(times)\"".utf8) }

  /// How the handler of a kind tries its jobs.
  static func policies(of kind: JobKind) -> KindPolicies {
    switch kind.name {
    case "own":
      KindPolicies(HandlerPolicy(attempts: 5, retry: RetrySettings(first: .milliseconds(200)), timeout: .seconds(3)))
    case "once": KindPolicies(HandlerPolicy(attempts: 1))
    // What the configuration says of it goes before.
    case "flaky": KindPolicies(HandlerPolicy(retry: RetrySettings(first: .milliseconds(1))))
    default: KindPolicies(HandlerPolicy())
    }
  }
}
