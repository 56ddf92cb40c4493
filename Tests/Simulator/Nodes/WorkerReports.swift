import AMQP
import JobModel
import JobTransport
import Teller

// What a worker reports, and what it asks.
extension WorkerNode {
  func publishReports() {
    while let publishing, let batch = state.nextBatch(at: instant) {
      let packs = batch.packs(by: worker, at: instant)
      if batch.isEarly {
        sendEarly(batch, packs, on: publishing)
      } else {
        publish(batch, packs, on: publishing)
      }
    }
  }

  private func publish(_ batch: ReportOutbox.Batch, _ packs: [ReportOutbox.Batch.Pack], on line: World.Line) {
    noteClaims(batch)
    let messages = packs.map(\.message) + batch.otherMessages
    let numbers = messages.indices.map { lastNumber + 1 + $0 }
    lastNumber += messages.count
    lastBatch += 1
    batches[lastBatch] = OpenBatch(batch: batch, packs: packs, numbers: numbers)
    for (message, number) in zip(messages, numbers) { world.send(.publish(message, number: number), on: line) }
    if messages.isEmpty { published(0, .confirmed) }
  }

  /// A claim with another number of a release that is in the worker's hands without a break is asked anew.
  private func noteClaims(_ batch: ReportOutbox.Batch) {
    for claim in batch.claims {
      world.claims[claim.release.job, default: []].append(pid)
      if let last = lastClaims[claim.release], last.session == state.session, last.number != claim.number {
        world.sometimes.note(.claimedAnew)
      }
      lastClaims[claim.release] = (state.session, claim.number)
    }
  }

  func published(_ number: Int, _ result: PublishResult) {
    guard let id = batches.first(where: { $0.value.numbers.contains(number) })?.key else { return }
    batches[id]?.results[number] = result
    guard let open = batches[id], open.results.count == open.numbers.count else { return }
    batches[id] = nil
    finish(open.batch, open.packs, open.numbers.compactMap { open.results[$0] })
  }

  private func finish(_ batch: ReportOutbox.Batch, _ packs: [ReportOutbox.Batch.Pack], _ results: [PublishResult]) {
    world.sometimes.note(.returnedPublishing, if: results.contains { if case .returned = $0 { true } else { false } })
    take(.published(batch, batch.results(of: packs, results)))
  }

  private func sendEarly(_ batch: ReportOutbox.Batch, _ packs: [ReportOutbox.Batch.Pack], on line: World.Line) {
    guard packs.count == 1, let message = EarlyCodec.encode(reports: packs[0].message) else {
      take(.endedEarly(isRecorded: nil))
      return publish(batch, packs, on: line)
    }
    lastBatch += 1
    early = (lastBatch, batch)
    take(.sentEarly(batch))
    transient(message, on: line)
    let number = lastBatch
    after(.milliseconds(10), "waits no longer for early reports") { [self] in
      if early?.number == number { endEarly(isRecorded: false) }
    }
  }

  func endEarly(isRecorded: Bool) {
    guard let early, let publishing else { return }
    self.early = nil
    world.sometimes.note(.early, if: isRecorded)
    let packs = early.batch.packs(by: worker, at: instant)
    take(.endedEarly(isRecorded: isRecorded))
    if isRecorded {
      finish(early.batch, packs, packs.map { _ in .confirmed })
    } else {
      publish(early.batch, packs, on: publishing)
    }
  }
}

extension Presence {
  /// The same of a worker that does not say which handlers it has.
  init(silent other: Presence) {
    self.init(
      worker: other.worker, session: other.session, name: other.name, tellers: other.tellers, beside: other.beside,
      ahead: other.ahead, paused: other.paused, stuck: other.stuck, ledger: other.ledger, probe: other.probe,
      running: other.running, waiting: other.waiting, isDraining: other.isDraining, isGoodbye: other.isGoodbye)
    (sentMs, drainMs) = (other.sentMs, other.drainMs)
  }
}
