/// Where a held job stands among those of its department: the lower goes first.
///
/// Its value is *accepted at − priority × Δ*, a constant of the job, so that it can be indexed. The priority is strict
/// among jobs that came within Δ of each other. Nothing starves for ever: each level is worth only Δ of waiting.
package struct Standing: Hashable, Sendable, Comparable {
  package var value: Int64

  /// What one level of priority is worth, unless the coordinator is told otherwise.
  package static let levelWorth: Duration = .seconds(600)

  /// - Parameters:
  ///   - time: When it could have been released first: when it was accepted, or the time it was scheduled for.
  ///   - priority: The job's own.
  ///   - worth: How much waiting one level of priority is worth.
  package init(readyAt time: Timestamp, priority: Priority, worth: Duration = levelWorth) {
    value = time.milliseconds.clampedSubtracting(Int64(priority.level).clampedMultiplied(by: worth.milliseconds))
  }

  /// The priority that a job of this standing is released with now: its own, and one level more for each `worth` of
  /// waiting, so that it does not starve in the queue behind others that keep coming.
  package func agedPriority(at now: Timestamp, worth: Duration = levelWorth) -> Priority {
    guard worth.milliseconds > 0 else { return .highest }
    let levels = now.milliseconds.clampedSubtracting(value) / worth.milliseconds
    return Priority(Int(min(9, max(0, levels)))) ?? .highest
  }

  /// The same waiting time with another priority.
  package func moved(from old: Priority, to new: Priority, worth: Duration = levelWorth) -> Standing {
    let levels = Int64(old.level - new.level)
    return Standing(value: value.clampedAdding(levels.clampedMultiplied(by: worth.milliseconds)))
  }

  /// When the job could have been released first. It is wrong for a job that was accepted with another `worth`.
  package func readyAt(_ priority: Priority, worth: Duration = levelWorth) -> Timestamp {
    Timestamp(milliseconds: value.clampedAdding(Int64(priority.level).clampedMultiplied(by: worth.milliseconds)))
  }

  package init(value: Int64) {
    self.value = value
  }

  package static func < (left: Standing, right: Standing) -> Bool { left.value < right.value }
}

/// A job's place in an ordered department: the plan's acceptance number, the rank, the position.
package struct OrderKey: Hashable, Sendable, Comparable {
  package var plan: Int64
  package var rank: Int
  package var position: Int

  package init(plan: Int64, rank: Int, position: Int) {
    self.plan = plan
    self.rank = rank
    self.position = position
  }

  package static func < (left: OrderKey, right: OrderKey) -> Bool {
    (left.plan, left.rank, left.position) < (right.plan, right.rank, right.position)
  }

  package var group: OrderGroup { OrderGroup(plan: plan, rank: rank) }
}

/// The jobs of an ordered department that may run beside each other: those of one rank in one plan.
package struct OrderGroup: Hashable, Sendable {
  package var plan: Int64
  package var rank: Int

  package init(plan: Int64, rank: Int) { (self.plan, self.rank) = (plan, rank) }
}
