public import Foundation

/// A command about so many jobs that the coordinator carries it out in steps. The operation goes on when no client waits
/// for it, and when the coordinator is replaced. A job that is accepted after the command is not part of it.
public struct JobOperation: Hashable, Sendable, Identifiable {
  /// The operation's number.
  public var id: Int64
  /// The command.
  public var action: Action
  /// The department of the jobs; nil: any.
  public var department: Department?
  /// The kind of the jobs; nil: any.
  public var kind: JobKind?
  /// What else the jobs have in common; nil: nothing more was asked for.
  public var filter: JobNarrowing?
  /// Of a reset of keys: the one key; nil: all keys of the kind.
  public var key: String?
  /// The name that the command carried: who gave it, as its sender says; nil: none.
  public var by: OperatorName?
  /// The user of the broker who sent the command; nil: the message named none.
  public var user: String?
  /// How many jobs the operation has changed.
  public var changed: Int
  /// How many jobs the operation has looked at.
  public var looked: Int
  /// How many jobs there are to look at, counted at the command.
  public var total: Int
  package var startedAt: Timestamp
  package var finishedAt: Timestamp?

  package init(
    id: Int64, action: Action, department: Department?, kind: JobKind?, filter: JobNarrowing? = nil,
    key: String? = nil, by author: CommandAuthor = CommandAuthor(), changed: Int, looked: Int, total: Int,
    startedAt: Timestamp, finishedAt: Timestamp?
  ) {
    self.id = id
    self.action = action
    self.department = department
    self.kind = kind
    self.filter = filter
    self.key = key
    (by, user) = (author.by, author.user)
    self.changed = changed
    self.looked = looked
    self.total = total
    self.startedAt = startedAt
    self.finishedAt = finishedAt
  }

  /// When the command was given.
  public var started: Date { startedAt.date }
  /// When the operation was done; nil while it goes on.
  public var finished: Date? { finishedAt?.date }

  /// A command about many jobs: a short, stable word. A later version may have words that are none of these.
  public struct Action: RawRepresentable, Hashable, Sendable, Codable {
    /// The word, as it is written on the wire.
    public let rawValue: String

    /// The command of a word, whether it is known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Jobs that wait or run are cancelled.
    public static let cancel = Action(rawValue: "cancel")
    /// Failed jobs are submitted again.
    public static let replay = Action(rawValue: "replay")
    /// Failed jobs are taken off the list of those that somebody has to look after.
    public static let drop = Action(rawValue: "drop")
    /// All jobs that wait or run are cancelled, and all plans that run.
    public static let reset = Action(rawValue: "reset")
    /// Keys are free and have no outcome; the jobs that had them and wait or run are cancelled.
    public static let resetKeys = Action(rawValue: "reset_keys")
    /// Jobs that are held after a restore of the ledger are released.
    public static let acceptRestored = Action(rawValue: "accept_restored")
    /// Jobs that are held after a restore of the ledger are cancelled.
    public static let dropRestored = Action(rawValue: "drop_restored")
  }
}

extension JobOperation: Codable {
  enum CodingKeys: String, CodingKey {
    case id, action, department, kind, filter, key, by, user, changed, looked, total
    case startedAt = "started_ms"
    case finishedAt = "finished_ms"
  }
}
