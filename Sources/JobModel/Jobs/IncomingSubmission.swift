/// What a message in `teller.submissions` turned out to be.
package enum IncomingSubmission: Hashable, Sendable {
  case job(Submission)
  case plan(PlanSubmission)
  case start(PlanStart)
  case event(EventSubmission)
  case choice(EventChoice)
  case rejected(Rejection)
}
