import AMQP
import AuditSupport
import JobModel
import JobTransport

// What a client is answered.
extension ClientNode {
  func read(_ delivery: Delivery) {
    if let tag = delivery.properties.correlationID, tag.hasPrefix("wait ") { return readOutcomes(delivery) }
    if let tag = delivery.properties.correlationID, commands[tag] != nil { return answered(tag, delivery) }
    if let tag = delivery.properties.correlationID, questions[tag] != nil { return heard(tag, delivery) }
    for reply in ReplyPacks.decode(delivery).replies {
      if let tag = reply.correlationID, tag.hasPrefix(ClientNode.offered) { answeredOffer(tag, reply) }
      guard let id = reply.correlationID.flatMap({ JobID($0) }), open[id] != nil else { continue }
      take(reply, of: id)
    }
  }

  /// Why a submission may be refused now, and taken later.
  private static let passing = [
    JobFailure.Code.unknownDepartment, JobFailure.Code.unknownDependency, JobFailure.Code.notAllowed,
  ]

  private func take(_ reply: Reply, of id: JobID) {
    switch reply.content {
    case .accepted, .duplicate: accepted(id, as: reply)
    case .rejected(let failure): refused(id, failure)
    case .outcome(let outcome):
      accepted(id, as: reply)
      ended(id, Sighting(state: outcome.state))
    }
  }

  private func refused(_ id: JobID, _ failure: JobFailure) {
    guard let entry = open.removeValue(forKey: id) else { return }
    rejected[id] = failure
    world.trace.say(world.now, name, "is refused \(id): \(failure)")
    if failure.code == JobFailure.Code.notAllowed {
      world.sometimes.note(.rightLost)
      world.checkRefused(right(to: entry), "\(id)")
    }
    // A department that was taken out may be back when the same message comes once more.
    // The same where it depends on the time whether a job that it waits for may still come, or who may submit it.
    let isFinal = !ClientNode.passing.contains(failure.code)
    for case let operation? in [entry.submitting, entry.accepting, entry.waiting] {
      world.record.end(operation, isFinal ? .failed("\(failure)") : .unknown("\(failure)"), at: world.moment)
    }
  }

  /// What a submission needs. A plan may need more rights than that to submit to its department, and an event those of
  /// its plan.
  private func right(to entry: Open) -> RightNeeded {
    RightNeeded(
      user: user, act: .submit, department: entry.department,
      isAll: entry.submission != nil && entry.department != nil, since: entry.since)
  }

  private func accepted(_ id: JobID, as reply: Reply) {
    guard var entry = open[id], !entry.isAccepted else { return }
    world.checkTaken(right(to: entry), "\(id)")
    entry.isAccepted = true
    if let accepting = entry.accepting { world.record.end(accepting, .ok(nil), at: world.moment) }
    open[id] = entry
    if let original = reply.job.flatMap({ JobID($0) }), original != id {
      world.record.learn(original: original, of: id)
    }
    onAccepted.removeValue(forKey: id)?()
    if entry.submission == nil { open[id] = nil }
  }

  private func ended(_ id: JobID, _ seen: Sighting) {
    guard let entry = open.removeValue(forKey: id), let waiting = entry.waiting else { return }
    if seen.state == .succeeded { world.noteSuccess() }
    world.trace.say(world.now, name, "hears that \(id) has \(seen.state)")
    world.record.end(waiting, .ok(seen), at: world.moment)
  }

  private func readOutcomes(_ delivery: Delivery) {
    guard let document = try? AnswerCodec.decode(WaitDocument.self, from: delivery) else { return }
    for job in document.finished {
      for id in openJobs where id == job.id || world.record.originals[id] == job.id {
        guard open[id]?.submission != nil else { continue }
        accepted(id, as: Reply(job: job.id.description, correlationID: nil, content: .accepted))
        ended(id, Sighting(state: job.state, attempt: id == job.id ? job.attempt : nil))
      }
    }
    for unknown in document.unknown {
      for id in openJobs where open[id]?.isAccepted == true && (world.record.originals[id] ?? id) == unknown {
        send(id)
      }
    }
  }
}
