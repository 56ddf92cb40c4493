package import JobModel

/// What holds a job back: nothing starts before its time, or before what it waits for has succeeded.
package struct WaitRules {
  /// How much earlier than asked a job may seem to start: times are whole milliseconds on the way.
  package static let tolerance: Duration = .milliseconds(50)

  package let wanted: [JobID: Wanted]
  package let submittedAt: [JobID: Moment]
  package let runs: [JobID: [Run]]

  /// Jobs with a run before their time.
  package var early: [JobID] {
    wanted.filter { job, wanted in
      guard let delay = wanted.delay, let submitted = submittedAt[job] else { return false }
      return runs[job, default: []].contains { $0.began + WaitRules.tolerance < submitted + delay }
    }.map(\.key)
  }

  /// Jobs with a run before what they wait for had succeeded.
  package var impatient: [JobID] {
    wanted.filter { job, wanted in
      guard let first = wanted.after else { return false }
      let success = runs[first, default: []].filter { $0.end == .succeeded }.compactMap(\.ended).min()
      return runs[job, default: []].contains { run in success.map { run.began < $0 } ?? true }
    }.map(\.key)
  }
}
