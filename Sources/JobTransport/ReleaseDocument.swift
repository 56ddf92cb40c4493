import JobModel

/// A release as it stands in the JSON of messages.
struct ReleaseDocument: Hashable, Codable {
  var job: JobID
  var release: Int

  init(_ release: ReleaseID) {
    job = release.job
    self.release = release.number
  }

  var value: ReleaseID { ReleaseID(job: job, number: release) }

  /// The most bytes that one has in a list: its members' names, a UUID, a number of 19 digits, a comma, and some room.
  static let longest = 80
}

extension [ReleaseID] {
  var documents: [ReleaseDocument] { map(ReleaseDocument.init) }
}

extension [ReleaseDocument] {
  var values: [ReleaseID] { map(\.value) }
}

extension Array {
  /// Pieces of at most that many elements, in order; none of an empty array.
  func pieces(of size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
