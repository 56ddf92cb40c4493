import AuditSupport
import Foundation
import JobModel
import Teller
import Testing

/// The load itself: in each round there is every sort of job, and what is wanted of each fits what it asks for.
@Suite("The load")
struct LoadTests {
  private let errands = (0..<Load.round * 2).map { Load(departments: ["work"]).errand($0) }

  private func payload(_ errand: Load.Errand) -> [String: any Sendable] {
    let object = try? JSONSerialization.jsonObject(with: Data(errand.submission.payload))
    return object as? [String: any Sendable] ?? [:]
  }

  @Test("every round has each sort of job")
  func sorts() {
    for round in [errands.prefix(Load.round), errands.suffix(Load.round)] {
      #expect(round.contains { payload($0)["fails"] != nil && $0.wanted.outcomes == [.succeeded] })
      #expect(round.contains { payload($0)["permanent"] != nil && $0.wanted.mayBeReplayed })
      #expect(round.contains { payload($0)["fails"] != nil && $0.wanted.outcomes == [.failed] })
      #expect(round.contains { $0.wanted.delay != nil && $0.submission.delay == $0.wanted.delay })
      #expect(round.contains { $0.isCancelled && $0.wanted.outcomes == [.succeeded, .cancelled] })
      for outcome in [JobState.succeeded, .failed] {
        #expect(round.contains { waits($0, outcome) })
      }
      #expect(round.contains { $0.followers.first?.submission.key == $0.submission.key && $0.wanted.key != nil })
      #expect(round.contains { $0.submission.kind == "aside" })
      #expect(Set(round.map(\.submission.priority)).count == Priority.levels.count)
    }
  }

  private func waits(_ errand: Load.Errand, _ outcome: JobState) -> Bool {
    guard let follower = errand.followers.first else { return false }
    return follower.submission.after == [errand.submission.id] && follower.wanted.after == errand.submission.id
      && follower.wanted.outcomes == [outcome] && errand.wanted.outcomes == [outcome]
  }

  @Test("every job leaves traces with times, and no two have the same id")
  func traces() {
    #expect(errands.allSatisfy { payload($0)["timed"] as? Bool == true && $0.wanted.leavesTraces })
    let ids = errands.flatMap { [$0.submission.id] + $0.followers.map(\.submission.id) }
    #expect(Set(ids).count == ids.count)
  }
}
