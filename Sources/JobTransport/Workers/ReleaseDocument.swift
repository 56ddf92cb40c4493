import JobModel

/// A release in the JSON of messages.
struct ReleaseDocument: Hashable, Codable {
  var job: JobID
  var release: Int
  /// Of a void release: whether the job has ended; nil: it has not.
  var ended: Bool?

  init(_ release: ReleaseID, hasEnded: Bool = false) {
    job = release.job
    self.release = release.number
    ended = hasEnded ? true : nil
  }

  var value: ReleaseID { ReleaseID(job: job, number: release) }

  /// The most bytes of a release in a list: its members' names, a UUID, a number of 19 digits, a comma.
  static let longest = 90
}

extension [ReleaseDocument] {
  init(_ releases: some Sequence<ReleaseID>, ended: [ReleaseID] = []) {
    let ended = Set(ended)
    self = releases.map { ReleaseDocument($0, hasEnded: ended.contains($0)) }
  }

  var values: [ReleaseID] { map(\.value) }
  var ended: [ReleaseID] { filter { $0.ended == true }.map(\.value) }
}

extension Array {
  /// Pieces of at most that many elements, in order; none of an empty array.
  package func pieces(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
