public import Foundation

/// A part of the list of keys that are taken, by kind and key.
///
///     var query = KeyQuery(kind: "invoice")
///     repeat {
///       let page = try await client.keys(query)
///       for key in page.keys { print(key.key, key.job) }
///       query.after = page.next
///     } while query.after != nil
public struct KeyPage: Hashable, Sendable, Codable {
  /// The keys. A page may have fewer keys than asked for, even none, and not be the last.
  public var keys: [TakenKey]
  /// The ``KeyQuery/after`` of the next page; nil: this page is the last.
  public var next: JobKey?

  package init(keys: [TakenKey], next: JobKey?) {
    self.keys = keys
    self.next = next
  }
}

/// A key that is taken: a submission of the same kind with the same key is the job that has it.
public struct TakenKey: Hashable, Sendable {
  /// The kind of the jobs that the key is for.
  public var kind: JobKind
  /// The key.
  public var key: String
  /// The job that has the key.
  public var job: JobID
  /// The state of the job; nil: the job has ended, and was removed from the ledger.
  public var state: JobState?
  private var untilMs: Timestamp?

  package init(kind: JobKind, key: String, job: JobID, state: JobState?, until: Timestamp?) {
    self.kind = kind
    self.key = key
    self.job = job
    self.state = state
    untilMs = until
  }

  /// Until when the key stays taken at least, by the coordinator's clock. A key whose job has not ended by then stays taken
  /// until its job ends. Nil: exactly until then, ``KeyWindow/whileLive``.
  public var until: Date? { untilMs?.date }

  package var position: JobKey { JobKey(kind: kind, key: key) }
}

extension TakenKey: Codable {
  enum CodingKeys: String, CodingKey {
    case kind, key, job, state
    case untilMs = "until_ms"
  }
}

/// Which keys are listed.
public struct KeyQuery: Hashable, Sendable {
  /// Only keys for jobs of this kind; nil: all.
  public var kind: JobKind?
  /// At most so many keys in one page; within ``limits``.
  public var limit: Int
  /// Only keys behind this place: the ``KeyPage/next`` of the page before.
  public var after: JobKey?

  /// What ``limit`` may be.
  public static let limits = 1...1_000
  /// The default of ``limit``.
  public static let defaultLimit = 100

  /// A query for the keys of a kind, or for all.
  public init(kind: JobKind? = nil, limit: Int = defaultLimit, after: JobKey? = nil) {
    self.kind = kind
    self.limit = limit
    self.after = after
  }

  /// What is wrong with the query, for people; nil: nothing.
  package var problem: String? { KeyQuery.limits.problem(of: limit) }
}

extension KeyQuery: Codable {
  package enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, limit, after
  }

  /// Reads a query; a limit that is missing is the default.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    kind = try members.decodeIfPresent(JobKind.self, forKey: .kind)
    limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? KeyQuery.defaultLimit
    after = try members.decodeIfPresent(JobKey.self, forKey: .after)
  }
}
