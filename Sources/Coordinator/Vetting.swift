import AMQP
import JobModel
import JobTransport
import Logging

/// Whether messages come from whom they may come, before anything in them counts.
extension Bookkeeper {
  /// The same reports and claims, where those that may not come from their sender are refused. Without `users:` only two
  /// things are asked: a fence is the coordinator's own, and a worker's id belongs to whoever announced it first.
  func vetted(_ messages: [ReportMessage], from users: [String?]) -> [ReportMessage] {
    var passes = Passes(configuration.access)
    return zip(messages, users).map { message, user in
      let vetted = vet(message, passes.pass(of: user))
      if case .refused(let failure, _) = vetted { noteNotAllowed(failure) }
      return vetted
    }
  }

  private func vet(_ message: ReportMessage, _ pass: Pass) -> ReportMessage {
    switch message {
    case .report(let report):
      refusal(of: report.worker, report.release, pass).map { .refused($0, isReport: true) } ?? message
    case .dropped(let dropped):
      refusal(of: dropped.worker, dropped.release, pass).map { .refused($0, isReport: false) } ?? message
    case .returned(let returned):
      refusal(of: returned.worker, returned.release, pass).map { .refused($0, isReport: false) } ?? message
    case .adopt(let request):
      refusal(of: request.worker, request.release, pass).map { .refused($0, isReport: false) } ?? message
    case .claims(let claims): vet(claims, pass)
    case .fence where !configuration.access.isOwn(pass.user): .refused(.onlyTheCoordinator(), isReport: false)
    case .fence, .refused, .unreadable: message
    }
  }

  /// One worker has made them all. It is answered those that it may make.
  private func vet(_ claims: [ClaimRequest], _ pass: Pass) -> ReportMessage {
    guard let worker = claims.first?.worker else { return .claims(claims) }
    if let failure = refusal(of: worker, pass) { return .refused(failure, isReport: false) }
    if pass.isUnlimited { return .claims(claims) }
    var failure: JobFailure?
    let allowed = claims.filter { claim in
      guard let refusal = pass.refusal(of: .serve, in: department(of: claim.release)) else { return true }
      failure = refusal
      return false
    }
    guard let failure else { return .claims(claims) }
    if allowed.isEmpty { return .refused(failure, isReport: false) }
    noteNotAllowed(failure)
    return .claims(allowed)
  }

  /// The same of what workers tell of themselves; what the coordinator told itself is left out.
  func vetted(_ messages: [PresenceMessage], from users: [String?]) -> [PresenceMessage] {
    var passes = Passes(configuration.access)
    return zip(messages, users).compactMap { message, user in
      switch message {
      case .pulse: nil
      case .presence(let presence): vet(presence, passes.pass(of: user))
      case .started(let started): vet(started, passes.pass(of: user))
      case .refused, .unreadable: message
      }
    }
  }

  /// Whoever speaks for another one's worker is not answered: the answer would go to that worker.
  private func vet(_ presence: Presence, _ pass: Pass) -> PresenceMessage? {
    if !owns(presence.worker, pass) {
      noteNotAllowed(.foreignWorker(presence.worker, pass.user))
      return nil
    }
    var presence = presence
    presence.user = pass.user
    if pass.isUnlimited { return .presence(presence) }
    let departments = presence.tellers.keys.sorted().compactMap { Department($0) }
    let foreign = departments.lazy.compactMap { pass.refusal(of: .serve, in: $0) }
    if let failure = pass.refusal(of: .serve) ?? foreign.first {
      noteNotAllowed(failure)
      return .refused(presence, failure)
    }
    // What is none of its departments' it cannot have, whatever it lists.
    presence.running.removeAll { pass.refusal(of: .serve, in: department(of: $0.release)) != nil }
    return .presence(presence)
  }

  private func vet(_ started: Started, _ pass: Pass) -> PresenceMessage? {
    let failure =
      refusal(of: started.worker, started.release, pass) ?? pass.refusal(of: .serve, in: started.department)
    guard let failure else { return .started(started) }
    noteNotAllowed(failure)
    return nil
  }

  /// Why somebody may not say something of a release in a worker's name.
  private func refusal(of worker: WorkerID, _ release: ReleaseID, _ pass: Pass) -> JobFailure? {
    if let failure = refusal(of: worker, pass) { return failure }
    return pass.isUnlimited ? nil : pass.refusal(of: .serve, in: department(of: release))
  }

  private func refusal(of worker: WorkerID, _ pass: Pass) -> JobFailure? {
    owns(worker, pass) ? pass.refusal(of: .serve) : .foreignWorker(worker, pass.user)
  }

  /// A worker's id belongs to whoever announced it first; of one that nobody has announced, or whose owner an earlier
  /// version did not write down, nothing is known.
  private func owns(_ worker: WorkerID, _ pass: Pass) -> Bool {
    attendance.workers[worker]?.owner.map { $0 == pass.user ?? "" } ?? true
  }

  /// The department of a release that matters; nil of any other.
  func department(of release: ReleaseID) -> Department? {
    released[release.job]?.department ?? voidPlaces[release]?.department
  }

  /// Why somebody may not do that, counted; nil: it may be done.
  func refusal(of act: Access.Act, _ delivery: Delivery) -> JobFailure? {
    let failure = configuration.access.pass(of: delivery.properties.userID).refusal(of: act)
    if let failure { noteNotAllowed(failure) }
    return failure
  }

  /// Counts a message that was refused because of who sent it, and logs it unless there are too many.
  func noteNotAllowed(_ failure: JobFailure) {
    notAllowed += 1
    logRefusal(.sender, failure.message, .warning)
  }
}
