import Foundation

/// One run of a handler of the plan, as its lines tell it.
struct StepRun: Hashable, Sendable {
  /// A line of the one file that all handlers append to: what stands before another line was before it.
  struct Line: Hashable, Sendable {
    var number: Int
    /// In milliseconds since 1970.
    var time: Int64
  }

  var name: String
  var job: String
  /// 0: it is of no step.
  var round: Int
  var attempt: Int
  var pid: pid_t
  var began: Line
  /// Nil: the handler has not come to its end.
  var ended: Line?

  /// The name; of a step with its round.
  var label: String { round == 0 ? name : "\(name) \(round)" }

  /// All runs of a file, in the order of their beginnings.
  static func runs(of lines: [[String]]) -> [StepRun] {
    var runs: [StepRun] = []
    for (number, words) in lines.enumerated() where words.count >= 7 {
      guard let round = Int(words[2]), let attempt = Int(words[3]), let pid = pid_t(words[4]),
        let time = Int64(words[5])
      else { continue }
      let line = Line(number: number, time: time)
      if words[0] == "begin" {
        let name = words[6...].joined(separator: " ")
        runs.append(StepRun(name: name, job: words[1], round: round, attempt: attempt, pid: pid, began: line))
      } else if let open = runs.lastIndex(where: { $0.job == words[1] && $0.pid == pid && $0.ended == nil }) {
        runs[open].ended = line
      }
    }
    return runs
  }
}
