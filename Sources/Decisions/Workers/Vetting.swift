package import JobModel

/// Whether messages come from a sender who may send them, before anything in them counts. Without `users:` only two
/// things are asked: a fence is the coordinator's own, and a worker's id belongs to the user who announced it first.
package struct Vetting {
  private let access: Access
  private let roster: Roster
  private let releases: Releases
  /// What was refused so far.
  package private(set) var refused: [JobFailure] = []

  package init(_ access: Access, _ roster: Roster, _ releases: Releases) {
    (self.access, self.roster, self.releases) = (access, roster, releases)
  }

  /// The reports and claims, with a refusal in the place of each that may not come from its sender.
  package mutating func vetted(_ messages: [ReportMessage], from users: [String?]) -> [ReportMessage] {
    var passes = Passes(access)
    return zip(messages, users).map { message, user in
      let vetted = vet(message, passes.pass(of: user))
      if case .refused(let failure, _) = vetted { refused.append(failure) }
      return vetted
    }
  }

  private mutating func vet(_ message: ReportMessage, _ pass: Pass) -> ReportMessage {
    let failure: JobFailure?
    switch message {
    case .report(let report): failure = refusal(of: report.worker, report.release, pass)
    case .dropped(let dropped): failure = refusal(of: dropped.worker, dropped.release, pass)
    case .returned(let returned): failure = refusal(of: returned.worker, returned.release, pass)
    case .adopt(let request): failure = refusal(of: request.worker, request.release, pass)
    case .claims(let claims): return vet(claims, pass)
    case .fence: failure = access.isOwn(pass.user) ? nil : .onlyTheCoordinator()
    case .flawed(let flawed): return .flawed(vet(flawed, pass))
    case .refused, .unreadable: failure = nil
    }
    guard let failure else { return message }
    if case .report = message { return .refused(failure, isReport: true) }
    return .refused(failure, isReport: false)
  }

  /// The claims of one worker: only those that the worker may make are kept.
  private mutating func vet(_ claims: [ClaimRequest], _ pass: Pass) -> ReportMessage {
    guard let worker = claims.first?.worker else { return .claims(claims) }
    if let failure = refusal(of: worker, pass) { return .refused(failure, isReport: false) }
    if pass.isUnlimited { return .claims(claims) }
    var failure: JobFailure?
    let allowed = claims.filter { claim in
      guard let refusal = pass.refusal(of: .serve, in: releases.department(of: claim.release)) else { return true }
      failure = refusal
      return false
    }
    guard let failure else { return .claims(claims) }
    if allowed.isEmpty { return .refused(failure, isReport: false) }
    refused.append(failure)
    return .claims(allowed)
  }

  /// The messages of workers about themselves, vetted in the same way; the coordinator's own pulse is left out.
  package mutating func vetted(_ messages: [PresenceMessage], from users: [String?]) -> [PresenceMessage] {
    var passes = Passes(access)
    return zip(messages, users).compactMap { message, user in
      switch message {
      case .pulse: nil
      case .presence(let presence): vet(presence, passes.pass(of: user))
      case .started(let started): vet(started, passes.pass(of: user))
      case .progress(let progress): vet(progress, passes.pass(of: user))
      case .flawed(let flawed): .flawed(vet(flawed, passes.pass(of: user)))
      case .refused: message
      }
    }
  }

  /// Who speaks for another one's worker is not answered: the answer would go to that worker.
  private func vet(_ flawed: FlawedMessage, _ pass: Pass) -> FlawedMessage {
    var flawed = flawed
    if let worker = flawed.worker, refusal(of: worker, pass) != nil { flawed.worker = nil }
    return flawed
  }

  /// A user who speaks for another one's worker is not answered: the answer would go to that worker.
  private mutating func vet(_ presence: Presence, _ pass: Pass) -> PresenceMessage? {
    if !owns(presence.worker, pass) {
      refused.append(.foreignWorker(presence.worker, pass.user))
      return nil
    }
    var presence = presence
    presence.user = pass.user
    if pass.isUnlimited { return .presence(presence) }
    let departments = presence.tellers.keys.sorted().compactMap { Department($0) }
    let foreign = departments.lazy.compactMap { pass.refusal(of: .serve, in: $0) }
    if let failure = pass.refusal(of: .serve) ?? foreign.first {
      refused.append(failure)
      return .refused(presence, failure)
    }
    // The worker cannot have a release of another department, whatever it lists.
    presence.running.removeAll { mayNotHave($0.release, pass) }
    presence.waiting.removeAll { mayNotHave($0.release, pass) }
    return .presence(presence)
  }

  private mutating func vet(_ started: Started, _ pass: Pass) -> PresenceMessage? {
    let failure =
      refusal(of: started.worker, started.release, pass) ?? pass.refusal(of: .serve, in: started.department)
    guard let failure else { return .started(started) }
    refused.append(failure)
    return nil
  }

  /// Of what a worker says of its runs, only those that it may have are kept.
  private mutating func vet(_ progress: WorkerProgress, _ pass: Pass) -> PresenceMessage? {
    if let failure = refusal(of: progress.worker, pass) {
      refused.append(failure)
      return nil
    }
    if pass.isUnlimited { return .progress(progress) }
    var progress = progress
    progress.runs.removeAll { mayNotHave($0.release, pass) }
    return .progress(progress)
  }

  /// Whether the release is one of a department that the user may not serve.
  private func mayNotHave(_ release: ReleaseID, _ pass: Pass) -> Bool {
    pass.refusal(of: .serve, in: releases.department(of: release)) != nil
  }

  /// Why a user may not say something of a release in a worker's name.
  private func refusal(of worker: WorkerID, _ release: ReleaseID, _ pass: Pass) -> JobFailure? {
    if let failure = refusal(of: worker, pass) { return failure }
    return pass.isUnlimited ? nil : pass.refusal(of: .serve, in: releases.department(of: release))
  }

  private func refusal(of worker: WorkerID, _ pass: Pass) -> JobFailure? {
    owns(worker, pass) ? pass.refusal(of: .serve) : .foreignWorker(worker, pass.user)
  }

  /// A worker's id belongs to the user who announced it first. The id of a worker that nobody has announced is free.
  private func owns(_ worker: WorkerID, _ pass: Pass) -> Bool {
    roster.workers[worker]?.owner.map { $0.isExactly(pass.user ?? "") } ?? true
  }
}
