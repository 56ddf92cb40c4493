/// A release in a worker's hands that has not begun, such as one that was taken ahead and waits for a teller.
package struct WaitingRelease: Hashable, Sendable, Codable {
  private var job: JobID
  private var number: Int
  package var token: Int
  /// The worker asks before it runs the release. Without that it may begin at any moment.
  @Omissible package var mustClaim: Bool

  package init(release: ReleaseID, token: Int, mustClaim: Bool = false) {
    (job, number) = (release.job, release.number)
    self.token = token
    self.mustClaim = mustClaim
  }

  package var release: ReleaseID { ReleaseID(job: job, number: number) }
  /// The release, as it will be listed once it runs.
  package var run: RunningRelease { RunningRelease(release: release, token: token) }

  enum CodingKeys: String, CodingKey {
    case job, token
    case number = "release"
    case mustClaim = "claims"
  }
}
