/// Releases that must not be started when they come fresh from their queue. In JSON they are one list, in which those whose
/// job has ended are marked.
package struct VoidList: Hashable, Sendable {
  package var releases: [ReleaseID]
  /// Those whose job has ended: what runs of them is to be cancelled. The others are to be released in another way, unless
  /// they run already: then they run on. One that is not in `releases` has no meaning, and is not written.
  package var ended: [ReleaseID]
}

extension VoidList: Codable {
  private struct Member: Codable {
    var job: JobID
    var release: Int
    @Omissible var ended: Bool
  }

  package init(from decoder: any Decoder) throws {
    let members = try [Member](from: decoder).map { (ReleaseID(job: $0.job, number: $0.release), $0.ended) }
    self.init(releases: members.map(\.0), ended: members.filter(\.1).map(\.0))
  }

  package func encode(to encoder: any Encoder) throws {
    let ended = Set(ended)
    let members = releases.map { Member(job: $0.job, release: $0.number, ended: ended.contains($0)) }
    try members.encode(to: encoder)
  }
}

/// A change of the releases that must not be started when they come fresh from their queue. A redelivered one is claimed as
/// always.
package struct VoidChange: Hashable, Sendable, Codable {
  package var list: VoidList
  /// Those whose message is gone: no worker needs to remember them.
  package var forgotten: [ReleaseID]

  package init(void: [ReleaseID] = [], ended: [ReleaseID] = [], forgotten: [ReleaseID] = []) {
    list = VoidList(releases: void, ended: ended)
    self.forgotten = forgotten
  }

  /// Void from now on.
  package var void: [ReleaseID] { list.releases }
  /// Those of `void` whose job has ended.
  package var ended: [ReleaseID] { list.ended }

  enum CodingKeys: String, CodingKey {
    case list = "void"
    case forgotten
  }
}
