package import JobModel

/// A job that another one still waits for.
package struct Dependency: Hashable, Sendable {
  package var on: JobID
  package var rule: Dependencies.Rule
  /// Whether the ledger has that job.
  package var isKnown: Bool

  package init(on: JobID, rule: Dependencies.Rule, isKnown: Bool) {
    self.on = on
    self.rule = rule
    self.isKnown = isKnown
  }
}

/// A job that waits for another one.
package struct Dependent: Hashable, Sendable {
  package var job: Job
  /// What it waits for.
  package var on: JobID
  package var rule: Dependencies.Rule

  package init(job: Job, on: JobID, rule: Dependencies.Rule) {
    self.job = job
    self.on = on
    self.rule = rule
  }
}

/// A part of the jobs that others wait for: those that have ended meanwhile.
package struct EndedTargets: Hashable, Sendable {
  package struct Target: Hashable, Sendable {
    package var id: JobID
    package var state: JobState

    package init(id: JobID, state: JobState) {
      self.id = id
      self.state = state
    }
  }

  package var targets: [Target]
  /// Where the next part begins; nil when nothing follows.
  package var position: JobID?

  package init(targets: [Target], position: JobID?) {
    self.targets = targets
    self.position = position
  }
}
