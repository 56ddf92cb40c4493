import AsyncAlgorithms
import JobModel
import JobTransport

/// Jobs that a task waits for and that have been silent for long: the client asks the coordinator about them.
extension ClientCore {
  /// How many jobs are asked about in one tick, so that many waits are no burden for the coordinator; the others
  /// follow.
  static let questionsPerTick = 2_000
  /// How many names are asked about in one tick: each is a question of its own.
  static let nameQuestionsPerTick = 100

  /// Asks about jobs that have been silent for long, and ends waits that are in vain.
  func watchOverWaits() async {
    for await _ in AsyncTimerSequence(interval: timeouts.watchInterval, clock: .continuous) {
      if links.lostFor >= timeouts.coordinator {
        jobs.interruptAll(noConnection(for: timeouts.coordinator))
      } else if links.present != nil {
        await askAboutSilentJobs()
      }
    }
  }

  /// Asks about the jobs that have been silent for long and that a task waits for.
  private func askAboutSilentJobs() async {
    // A silence during earlier waits does not count for later ones.
    if jobs.needsNoAnswer { silence.end() }
    let ids = jobs.takeOverdue(silentFor: timeouts.longestSilence, atMost: ClientCore.questionsPerTick)
    for asked in ids.pieces(of: WaitQuery.idLimits.upperBound) {
      guard await ask(about: Array(asked)) else { return jobs.markOverdue(Array(ids[asked.endIndex...])) }
    }
  }

  /// - Returns: whether a coordinator has answered.
  private func ask(about ids: [JobID]) async -> Bool {
    // For so long nobody has told of these jobs, and that counts.
    let silent = timeouts.longestSilence
    let silentSince = ContinuousClock.now - silent
    do {
      let query = WaitQuery(ids: ids, limit: .zero)
      let limit = min(timeouts.request, patienceLeft(silentFor: silent))
      let document: WaitDocument = try await ask(.wait(query), within: limit, patience: timeouts.coordinator)
      learn(document)
      // Outcomes that did not fit into one message are asked for again.
      jobs.markOverdue(document.omitted)
      await askAboutNames(of: document.unknown)
      return true
    } catch is CancellationError {
      return false
    } catch {
      jobs.markOverdue(ids)
      countSilence(error, since: silentSince)
      return false
    }
  }

  /// Asks about the names of submissions without an answer. A submission whose name is taken is a duplicate, and the
  /// coordinator does not record it: where the reply that says so is lost, nobody else tells of it.
  private func askAboutNames(of unknown: [JobID]) async {
    let names = jobs.namesToAskAbout(
      of: unknown, unknownFor: timeouts.longestSilence, atMost: ClientCore.nameQuestionsPerTick)
    for (name, jobs) in Dictionary(grouping: names, by: \.name) {
      do {
        // A name that is free by now tells nothing: the submission may still stand in the queue.
        guard let first = try await holder(of: name) else { continue }
        for job in jobs.map(\.job) { self.jobs.learn(job, isDuplicateOf: first) }
      } catch TellerError.refused(let failure) where failure.code == JobFailure.Code.notFound {
        // Nobody has used the name.
      } catch {
        // The next question about the jobs comes soon, and counts the silence.
        return
      }
    }
  }

  /// The job, or the run of a plan, that has a name now.
  private func holder(of name: SharedName) async throws -> JobID? {
    switch name {
    case .key(let key):
      let status = try await self.key(KeyQuestion(key), within: timeouts.request)
      return status.isTaken ? status.job : nil
    case .plan(let plan):
      let details: PlanDetails = try await ask(.plan(plan.name), within: timeouts.request)
      return details.phase.mayStart ? nil : details.run
    }
  }

  /// How long the next question about jobs may take: the last one has only the rest of the patience. `silent`: how long the
  /// jobs have been silent at least.
  func patienceLeft(silentFor silent: Duration = .zero) -> Duration {
    max(timeouts.watchInterval, timeouts.coordinator - max(silent, silence.time))
  }

  /// Takes in the coordinator's answer to a question about jobs.
  func learn(_ document: WaitDocument) {
    for job in document.finished { jobs.learn(job.id, outcome: job.outcome, record: job) }
    for id in document.pending { jobs.learn(id, outcome: nil) }
    for id in document.unknown { jobs.reportUnknown(id, timeouts: timeouts) }
  }

  /// Notes that a question about jobs had no answer. When the silence lasts too long, the present waits end.
  func countSilence(_ error: any Error, since start: ContinuousClock.Instant) {
    guard silence.unanswered(askedAt: start) >= timeouts.coordinator else { return }
    // Later waits have the whole time.
    silence.end()
    jobs.interruptAll(error as? TellerError ?? .noCoordinator(silentFor: timeouts.coordinator))
  }
}

extension ClientTimeouts {
  /// How long a job may be silent before the coordinator is asked about it; less than `silence` where `coordinator` is
  /// short.
  var longestSilence: Duration { min(silence, coordinator / 4) }

  /// How often silent jobs are looked for, so that none is found much too late.
  var watchInterval: Duration { min(tick, max(.milliseconds(50), longestSilence / 4)) }
}
