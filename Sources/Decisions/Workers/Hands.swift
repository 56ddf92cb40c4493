package import JobModel

/// The releases that workers have in hand, as far as they may have them.
package struct Hands {
  private let releases: Releases
  private let access: Access

  package init(_ releases: Releases, _ access: Access) { (self.releases, self.access) = (releases, access) }

  /// What counts of the releases that a worker listed: those that run, and those that it has taken ahead and may begin. A
  /// release that belonged to no known department when it was listed, because its job was held, may by now be of a
  /// department which the worker's user may not serve.
  package func releases(of entry: Roster.Entry) -> [ReleaseID] {
    counting(entry.running + entry.waiting.filter { !$0.mustClaim }.map(\.run), of: entry)
  }

  /// The current releases whose messages are in the worker's hands, and that have not begun: also those that it is about
  /// to claim, whatever was granted of them before.
  package func waiting(of entry: Roster.Entry) -> [ReleaseID] {
    permitted(entry.waiting.map(\.release).filter(releases.live.isCurrent), to: entry)
  }

  /// Those that have begun.
  package func begun(of entry: Roster.Entry) -> [ReleaseID] { counting(entry.running, of: entry) }

  private func counting(_ listed: [RunningRelease], of entry: Roster.Entry) -> [ReleaseID] {
    permitted(listed.filter(releases.counts).map(\.release), to: entry)
  }

  private func permitted(_ listed: [ReleaseID], to entry: Roster.Entry) -> [ReleaseID] {
    guard let owner = entry.owner else { return listed }
    let pass = access.pass(of: owner.isEmpty ? nil : owner)
    return pass.isUnlimited
      ? listed : listed.filter { pass.refusal(of: .serve, in: releases.department(of: $0)) == nil }
  }
}
