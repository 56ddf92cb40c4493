/// How far runs of a worker have come: for those who watch or ask, never recorded.
package struct WorkerProgress: Hashable, Sendable {
  package var worker: WorkerID
  package var runs: [Run]

  /// The most runs of one message.
  package static let runLimit = 256

  package init(worker: WorkerID, runs: [Run]) { (self.worker, self.runs) = (worker, runs) }

  /// One run.
  package struct Run: Hashable, Sendable, Codable {
    private var job: JobID
    private var number: Int
    package var token: Int
    private var fraction: Double
    private var text: String?

    package init(release: ReleaseID, token: Int, _ progress: RunProgress) {
      (job, number, self.token) = (release.job, release.number, token)
      (fraction, text) = (progress.fraction, progress.text)
    }

    package var release: ReleaseID { ReleaseID(job: job, number: number) }
    package var running: RunningRelease { RunningRelease(release: release, token: token) }
    /// Within the limits, whatever the worker says.
    package var progress: RunProgress { RunProgress(fraction, text) }

    enum CodingKeys: String, CodingKey {
      case job, token, fraction, text
      case number = "release"
    }
  }
}
