import Foundation
package import JobModel

/// What a notification is about.
package enum NotificationSubject: Hashable, Sendable {
  case job(JobID)
  case plan(JobID)
  case department(Department)
  /// A message without the id of a job: its own id, as it came.
  case message(String)
  case key(JobKind, String)
  case rule(String)
}

/// A notification as the ledger keeps it.
package struct NotificationRecord: Hashable, Sendable {
  /// Grows by one with each notification, and is never given again.
  package var number: Int64
  /// The epoch of the ledger in which it was recorded.
  package var epoch: Int
  package var at: Timestamp
  /// What happened, e.g. `succeeded`.
  package var event: String
  package var subject: NotificationSubject
  /// What it says beyond that, as its event has it. Nil: nothing; or that of a job's outcome, which its row has.
  package var body: String?
}

/// Who has to have read a notification before it may be removed.
package struct NotificationReader: Hashable, Sendable {
  package var name: String

  package init(_ name: String) { self.name = name }

  /// Who sends them to the notification stream of the broker.
  package static let stream = NotificationReader("stream")
}

/// A letter, which says what it is, and then the sixteen bytes of an id, or a name: so the notifications about one
/// thing stand together in an index.
extension NotificationSubject: Cell {
  var stored: [UInt8] {
    switch self {
    case .job(let id): NotificationSubject.bytes("j", id)
    case .plan(let id): NotificationSubject.bytes("p", id)
    case .department(let department): Array("d\(department.name)".utf8)
    case .message(let id): Array("m\(id)".utf8)
    case .key(let kind, let key): Array("k\(kind.name)/\(key)".utf8)
    case .rule(let name): Array("r\(name)".utf8)
    }
  }

  init(stored: [UInt8]) throws {
    let rest = stored.dropFirst()
    let name = String(decoding: rest, as: UTF8.self)
    switch stored.first.map(UnicodeScalar.init) {
    case "j": self = .job(JobID(try rest.withUnsafeBytes { try UUID($0) }))
    case "p": self = .plan(JobID(try rest.withUnsafeBytes { try UUID($0) }))
    case "d": self = .department(try Department(stored: name))
    case "m": self = .message(name)
    case "k":
      // No kind has a slash in its name.
      let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      self = .key(try JobKind(stored: String(parts[0])), parts.count > 1 ? String(parts[1]) : "")
    case "r": self = .rule(name)
    default: throw Damage(what: "a notification about nothing that is known")
    }
  }

  private static func bytes(_ letter: UnicodeScalar, _ id: JobID) -> [UInt8] {
    withUnsafeBytes(of: id.uuid.uuid) { id in
      // For every job: one array, not two.
      var bytes: [UInt8] = []
      bytes.reserveCapacity(1 + id.count)
      bytes.append(UInt8(ascii: letter))
      bytes.append(contentsOf: id)
      return bytes
    }
  }
}
