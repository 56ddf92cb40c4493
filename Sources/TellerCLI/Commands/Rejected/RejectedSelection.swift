import JobTransport

/// Finds messages by their ids.
enum RejectedSelection {
  /// The most ids that an error names.
  static let mostNamed = 5

  /// The messages with these ids, in the order of the queue. Messages that are equal have one id, and are chosen together.
  ///
  /// - Throws: `Failure` when an id names no message, or several different ones.
  static func messages(_ ids: [RejectedID], of all: [RejectedMessage]) throws -> [RejectedMessage] {
    var chosen = Set<String>()
    for id in ids { chosen.insert(try whole(id, of: all)) }
    let found = all.filter { chosen.contains($0.id) }
    try checkEqual(found)
    return found
  }

  private static func whole(_ id: RejectedID, of all: [RejectedMessage]) throws -> String {
    let found = Set(all.lazy.map(\.id).filter { $0.hasPrefix(id.text) })
    guard let only = found.first else {
      throw Failure(.unknownJob, "teller.rejected has no message \(id.text); `teller rejected` lists them")
    }
    if found.count == 1 { return only }
    let names = found.sorted().prefix(mostNamed).joined(separator: ", ")
    let more = found.count > mostNamed ? " and \(found.count - mostNamed) more" : ""
    throw Failure(
      .usage, "\(id.text) is the beginning of several ids: \(names)\(more); write more characters of the id")
  }

  /// Of several messages with one id, one would be shown and another one put back.
  private static func checkEqual(_ messages: [RejectedMessage]) throws {
    var firsts: [String: RejectedMessage] = [:]
    for message in messages {
      guard let first = firsts.updateValue(message, forKey: message.id), !first.hasSameContent(as: message) else {
        continue
      }
      throw Failure(
        .usage,
        "different messages have the id \(message.id): somebody has made them so; nothing was done. Only a program can tell "
          + "them apart, and only --all takes them")
    }
  }
}
