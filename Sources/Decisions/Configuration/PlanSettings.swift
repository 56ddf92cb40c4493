package import JobModel

/// A plan of `teller.yaml`.
package struct PlanSettings: Sendable, Hashable {
  /// With the plan's name.
  package var definition: PlanDefinition
  package var startOn: StartOn

  /// When the plan starts.
  package enum StartOn: String, Sendable, Hashable, CaseIterable {
    /// With the coordinator, if the plan has never been started with its ledger.
    case open
    /// When somebody starts it.
    case command
  }

  package init(_ definition: PlanDefinition, startOn: StartOn = .command) {
    (self.definition, self.startOn) = (definition, startOn)
  }
}
