/// The place of a waiting job after its move.
public struct JobPlace: Hashable, Sendable, Codable {
  /// The job's id.
  public var job: JobID
  /// The job's state.
  public var state: JobState
  /// How urgent the job is.
  public var priority: Priority
  /// The job's place in an ordered department; nil elsewhere.
  public var rank: Int?

  package init(job: JobID, state: JobState, priority: Priority, rank: Int?) {
    self.job = job
    self.state = state
    self.priority = priority
    self.rank = rank
  }
}

/// A key that was given back.
public struct FreedKey: Hashable, Sendable {
  /// The kind of the jobs that the key is for.
  public var kind: JobKind
  /// The key.
  public var key: String
  /// Whether the key was taken.
  public var wasTaken: Bool

  package init(kind: JobKind, key: String, wasTaken: Bool) {
    self.kind = kind
    self.key = key
    self.wasTaken = wasTaken
  }
}

extension FreedKey: Codable {
  enum CodingKeys: String, CodingKey {
    case kind, key
    case wasTaken = "changed"
  }
}
