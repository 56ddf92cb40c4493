package import JobModel

// What is in the tray.
extension Tray {
  /// The releases that a presence lists: those that run, and those whose report is not confirmed yet.
  package var listed: [RunningRelease] { running + reporting }

  /// Whether the release is in the worker's hands.
  package func has(_ release: ReleaseID) -> Bool { entries[release] != nil }

  /// The delivery tag of a release; nil: the release is not here, or its message is not.
  package func tag(of release: ReleaseID) -> UInt64? { entries[release]?.tag }

  package var running: [RunningRelease] {
    entries.compactMap { release, entry in
      guard case .running(let token) = entry.stage else { return nil }
      return RunningRelease(release: release, token: token, isStuck: entry.isStuck)
    }
  }

  /// The releases whose run was to end, and does not.
  package var stuck: [ReleaseID] { entries.filter(\.value.isStuck).map(\.key) }

  /// Whether that run has not ended.
  package func isRunning(_ run: RunningRelease) -> Bool { entries[run.release]?.stage == .running(token: run.token) }

  package var reporting: [RunningRelease] {
    entries.compactMap { release, entry in
      if case .reporting(let token) = entry.stage { RunningRelease(release: release, token: token) } else { nil }
    }
  }

  /// The releases that have not begun, as a presence lists them: they wait for a teller, for the answer to their claim, or
  /// for the confirm of their `returned` or `dropped`, whose job may go on all the same. What is on its way to the coordinator may come after the coordinator has found
  /// the queue empty: without this list the release would count as lost.
  package var waiting: [WaitingRelease] {
    entries.compactMap { release, entry in
      switch entry.stage {
      case .waiting(let token, let mustClaim): WaitingRelease(release: release, token: token, mustClaim: mustClaim)
      case .claiming(_, let token), .givingBack(let token), .dropping(let token):
        WaitingRelease(release: release, token: token, mustClaim: true)
      case .running, .reporting: nil
      }
    }
  }

  /// The void releases that wait for the confirm of their `dropped`.
  package var dropping: [ReleaseID] {
    entries.keys.filter { if case .dropping = entries[$0]?.stage { true } else { false } }
  }

  /// The releases without a handler here that wait for the confirm of their `returned`.
  package var givingBack: [ReleaseID] {
    entries.keys.filter { if case .givingBack = entries[$0]?.stage { true } else { false } }
  }

  /// Whether the release was not started, and its message is to be acked once the word of that is confirmed.
  package func isDropping(_ release: ReleaseID) -> Bool {
    switch entries[release]?.stage {
    case .dropping, .givingBack: true
    case .waiting, .claiming, .running, .reporting, nil: false
    }
  }

  /// The claims without an answer, to be asked again; by number.
  package var openClaims: [(release: ReleaseID, number: Int)] {
    entries
      .compactMap { release, entry -> (release: ReleaseID, number: Int)? in
        if case .claiming(let number, _) = entry.stage { (release, number) } else { nil }
      }
      .sorted { $0.number < $1.number }
  }
}
