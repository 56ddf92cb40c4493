/// A job of a plan's run, as far as the run depends on it.
package struct PlanJob: Hashable, Sendable {
  package var id: JobID
  /// Of the step, or of the event.
  @ExactText package var name: String
  /// The job's present place; an operator may have given it another one than the rules have.
  package var rank: Int
  /// How often the step has been begun with this job: 1, and one more each time that the plan has gone back over it. 0: an
  /// event's job.
  package var round: Int
  package var state: JobState
  /// Of a job that has failed or was cancelled: the failure's code.
  package var code: String?

  package init(id: JobID, name: String, rank: Int, round: Int, state: JobState, code: String? = nil) {
    (self.id, self.name, self.rank, self.round) = (id, name, rank, round)
    (self.state, self.code) = (state, code)
  }

  package var isEvent: Bool { round == 0 }
}
