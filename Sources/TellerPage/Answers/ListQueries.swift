import Foundation
import JobModel
import Teller

// What the lists are asked for, from the parameters of an address.
extension Questions {
  func jobs(_ query: inout Query) throws(PageProblem) -> JobQuery {
    let question = JobQuery(
      department: try query.department(), state: try query.word("state", JobState.self), kind: try query.kind(),
      since: try query.moment("since_ms"), until: try query.moment("until_ms"), error: try query.text("error"),
      key: try query.text("key"), plan: try query.job("plan"), limit: try query.limit(JobQuery.defaultLimit),
      before: try query.number("before"), onlyUnsettled: try query.flag("unsettled"),
      idPart: try query.text("id"))
    try query.end()
    return question
  }

  func failures(_ query: inout Query) throws(PageProblem) -> FailureQuery {
    let question = FailureQuery(
      department: try query.department(), kind: try query.kind(), since: try query.moment("since_ms"),
      until: try query.moment("until_ms"), error: try query.text("error"), before: try query.number("before"))
    try query.end()
    return question
  }

  func plans(_ query: inout Query) throws(PageProblem) -> PlanQuery {
    let question = PlanQuery(
      department: try query.department(), includesEnded: try query.flag("ended"),
      limit: try query.limit(PlanQuery.defaultLimit), before: try query.number("before"))
    try query.end()
    return question
  }

  func events(_ query: inout Query) throws(PageProblem) -> EventQuery {
    let question = EventQuery(
      plan: try query.value("plan", "the name of a plan") { PlanName($0) },
      state: try query.value("state", "the state of an event") { EventState(rawValue: $0) },
      limit: try query.limit(EventQuery.defaultLimit),
      before: try query.number("before"))
    try query.end()
    return question
  }

  func workers(_ query: inout Query) throws(PageProblem) -> WorkerQuery {
    let question = WorkerQuery(
      department: try query.department(), limit: try query.limit(WorkerQuery.defaultLimit),
      after: try query.text("after").map { WorkerID($0) })
    try query.end()
    return question
  }

  func keys(_ query: inout Query) throws(PageProblem) -> KeyQuery {
    let question = KeyQuery(
      kind: try query.kind(), limit: try query.limit(KeyQuery.defaultLimit),
      after: try query.value("after", "KIND/KEY, as the page before has it") { JobKey(written: $0) })
    try query.end()
    return question
  }

  func actions(_ query: inout Query) throws(PageProblem) -> ActionQuery {
    let question = ActionQuery(
      job: try query.job("job"), limit: try query.limit(ActionQuery.defaultLimit), before: try query.number("before"))
    try query.end()
    return question
  }

  func subscribers(_ query: inout Query) throws(PageProblem) -> SubscriberQuery {
    let question = SubscriberQuery(
      limit: try query.limit(SubscriberQuery.defaultLimit),
      after: try query.value("after", "the name of a subscriber") { SubscriberName($0) })
    try query.end()
    return question
  }
}

extension JobKey {
  /// `invoice/2026-03/A-17`: the name of a kind has no slash. Or as `--json` prints it.
  init?(written text: String) {
    if text.hasPrefix("{"), let key = try? JSONText.decode(JobKey.self, from: Data(text.utf8)) {
      self = key
      return
    }
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = JobKind(parts[0]), !parts[1].isEmpty else { return nil }
    self.init(kind: kind, key: String(parts[1]))
  }
}
