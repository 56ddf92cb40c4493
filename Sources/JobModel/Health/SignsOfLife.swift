/// When the parts of a process last showed that they go on.
///
/// A part that comes round by itself *renews*: silent for longer than the limit, it hangs. A part that may wait for work
/// for ever *begins* a turn and *ends* it: within one turn for longer than the limit, it hangs. A part that has several
/// turns at once numbers them: the end of one says nothing of the others.
///
/// Times are durations since any fixed moment of a monotonic clock.
package struct SignsOfLife: Hashable, Sendable {
  private var renewed: [String: Duration] = [:]
  private var begun: [Turn: Duration] = [:]

  private var warnings: [String: String] = [:]

  private struct Turn: Hashable, Sendable {
    let part: String
    let number: UInt64
  }

  package init() {}

  /// How long a part may be silent, or take for one turn. A process that hears of nothing for longer is deaf.
  package static let limit: Duration = .seconds(10)

  /// The part goes on.
  package mutating func renew(_ part: String, at now: Duration) { renewed[part] = now }

  /// The part has taken something to do; one that is within a turn already stays there.
  package mutating func begin(_ part: String, turn number: UInt64 = 0, at now: Duration) {
    let turn = Turn(part: part, number: number)
    begun[turn] = begun[turn] ?? now
  }

  /// The part has done it.
  package mutating func end(_ part: String, turn number: UInt64 = 0) { begun[Turn(part: part, number: number)] = nil }

  /// Something that people should know.
  package mutating func warn(_ name: String, _ detail: String?) { warnings[name] = detail }

  /// A check for each warning. All are ok: a process that has to warn does its work.
  package var warningChecks: [HealthReport.Check] {
    warnings.sorted { $0.key < $1.key }.map { HealthReport.Check($0.key, isOK: true, detail: $0.value) }
  }

  /// How long ago the part was last renewed; nil: never.
  package func age(of part: String, at now: Duration) -> Duration? { renewed[part].map { now - $0 } }

  /// The parts that have been within one turn for longer than the limit, longest first.
  package func stuck(at now: Duration) -> [(part: String, since: Duration)] {
    Dictionary(begun.map { ($0.key.part, now - $0.value) }, uniquingKeysWith: max)
      .filter { $0.value > SignsOfLife.limit }.map { (part: $0.key, since: $0.value) }
      .sorted { ($1.since, $0.part) < ($0.since, $1.part) }
  }

  /// The check of that name that a part was renewed within the limit. `did` is what the part does, as in "written".
  package func check(_ name: String, _ part: String, did: String, at now: Duration) -> HealthReport.Check {
    guard let age = age(of: part, at: now) else {
      return HealthReport.Check(name, isOK: false, detail: "never \(did) yet")
    }
    let isOK = age <= SignsOfLife.limit
    let rule = isOK ? "" : "; more than \(SignsOfLife.limit.inWords) is too long"
    return HealthReport.Check(name, isOK: isOK, detail: "\(did) \(age.inWords) ago\(rule)", age: age)
  }

  /// The check that the part which comes round was renewed, and that no part is stuck within a turn.
  package func checkLoop(_ name: String, _ part: String, at now: Duration) -> HealthReport.Check {
    let stuck = stuck(at: now)
    guard !stuck.isEmpty else { return check(name, part, did: "turned", at: now) }
    let parts = stuck.map { "\($0.part) for \($0.since.inWords)" }.joined(separator: ", ")
    return HealthReport.Check(name, isOK: false, detail: "stuck: \(parts)", age: age(of: part, at: now))
  }
}
