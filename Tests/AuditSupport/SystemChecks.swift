import JobModel

// The ledger, queues, the stream and processes.
extension Checker {
  func checkQueues() -> [String] {
    findings.queues.filter { $0.value != 0 && !allowances.queuesLeftAlone.contains($0.key) }
      .map { "\($0.key) holds \($0.value) messages" }.sorted()
  }

  func checkLedger() -> [String] {
    let ledger = findings.ledger
    var wrong = ledger.integrity == ["ok"] ? [] : ledger.integrity
    if ledger.danglingRows > 0 { wrong.append("\(ledger.danglingRows) rows refer to nothing") }
    wrong += report("in no known state", ledger.jobs.filter { LedgerState.name(of: $0.value.state) == nil }.keys)
    wrong += report("final without an end", ledger.jobs.filter { $0.value.isFinal && !$0.value.hasEnd }.keys)
    wrong += report("open with an end", ledger.jobs.filter { !$0.value.isFinal && $0.value.hasEnd }.keys)
    wrong += report(
      "without exactly one notification",
      ledger.jobs.filter { $0.value.notifications != ($0.value.isFinal ? 1 : 0) }.keys)
    let (first, last, count) = ledger.sequence
    if count > 0, last - first + 1 != count || first != 1 {
      wrong.append("\(count) notifications have the numbers \(first)–\(last)")
    }
    return wrong
  }

  func checkNotifications() -> [String] {
    let ended = findings.ledger.jobs.filter { $0.value.isFinal }.keys
    // What was announced before the broker lost its disk is gone with it.
    let since = wipes.map(\.until).max().map(record.submissions)
    let silent = ended.filter { findings.announced[$0] == nil && since?.contains($0) ?? true }
    let repeated = findings.announced.filter { $0.value > 1 }
    return report("announced several times", repeated.keys) + report("ended in silence", silent)
  }

  // MARK: The rest

  func checkCaps() -> [String] {
    let processes = findings.processes.flatMap { process -> [String] in
      let memory =
        process.peakMemory.map { $0 > Checker.memoryCap ? ["\(process.name) had \($0 >> 20) MiB"] : [] } ?? []
      let open = process.descriptors.map { $0 > Checker.descriptorCap ? ["\(process.name) has \($0) descriptors"] : [] }
      return memory + (open ?? [])
    }
    let windows = findings.released.filter { $0.value.most > $0.value.cap }.map { name, seen in
      "department \(name) had \(seen.most) jobs released, and its window is \(seen.cap)"
    }
    return processes + windows
  }

  /// The signals by which a program ends itself: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
  private static let crashes: Set<Int32> = [132, 133, 134, 135, 136, 139]

  func checkProcesses() -> [String] {
    findings.endedByThemselves
      + findings.processes.compactMap { process in
        guard let status = process.status, Checker.crashes.contains(status) else { return nil }
        return "\(process.name) crashed with status \(status)"
      }
  }

  func checkRecovery() -> [String] {
    guard let recovery = findings.recovery else { return ["no new success came within \(Checker.recoveryCap)"] }
    return recovery > Checker.recoveryCap ? ["the first new success came after \(recovery)"] : []
  }
}
