@testable import Decisions
@testable import JobModel

extension Tray {
  /// The answer to a claim; `number`: the last one of a probe or a fence when it was decided.
  mutating func answered(_ release: ReleaseID, claim: Int, _ verdict: Verdict, number: Int? = nil) -> TrayAction {
    answered(ClaimAnswer(release: release, claim: claim, verdict: verdict, number: number))
  }
}
