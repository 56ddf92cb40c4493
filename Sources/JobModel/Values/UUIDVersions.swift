package import Foundation

extension JobID {
  /// An id of version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits.
  package init(version7 time: Timestamp, using generator: inout some RandomNumberGenerator) {
    let milliseconds = UInt64(clamping: time.milliseconds)
    let time48 = withUnsafeBytes(of: (milliseconds << 16).bigEndian) { Array($0.prefix(6)) }
    let random = withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) { Array($0.prefix(10)) }
    self.init(UUID(bytes: time48 + random, version: 7))
  }

  /// When an id of version 7 was made, by the clock of whoever made it; nil: it is of another version, and tells no time.
  package var time: Timestamp? {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
    guard bytes[6] >> 4 == 7 else { return nil }
    return Timestamp(milliseconds: bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) })
  }

  /// The id of a plan's step: version 5 (RFC 9562, section 5.5) of the plan's id and the step's name, so that a plan
  /// that is submitted twice names the same jobs.
  package init(plan: JobID, step name: String) {
    self.init(version5: plan, name)
  }

  /// The id of a step's job in a later round, when the plan has gone back over the step. It is made from the id of the first
  /// round: so it is the id of no other step, and of no replay.
  package init(plan: JobID, step name: String, round: Int) {
    let first = JobID(plan: plan, step: name)
    if round == 1 { self = first } else { self.init(version5: first, "round \(round)") }
  }

  /// The id of a failed job that is submitted again, so that it is submitted again once. No step has an id of a job for
  /// its plan's.
  package init(replayOf job: JobID) {
    self.init(version5: job, "replay")
  }

  /// The id of a job that another job submits, so that it is submitted once, however often the other one runs.
  package init(submittedBy job: JobID, as name: String) {
    // No step has a name with a line feed, and no replay.
    self.init(version5: job, "submits\n\(name)")
  }

  /// The id of the job that a rule makes of a notification: version 5 of Teller's own namespace, the ledger, the
  /// notification's place and the rule's name, so that it is made once.
  package init(rule: RuleName, of notification: NotificationPosition, in ledger: LedgerID) {
    // A slash is in no name, so that no two read alike.
    self.init(version5: JobID.rules, "\(ledger.text)/\(notification.epoch)/\(notification.seq)/\(rule.name)")
  }

  /// The id of a plan's run, or of a choice about an event, that somebody has asked for by a form: so that it is done once,
  /// however often the form is sent.
  package init(form: UUID, as name: String) {
    // No step has a name with a line feed.
    self.init(version5: JobID(form), "form\n\(name)")
  }

  /// The id of a command about a key, together with what it is about: with another key it is another command.
  package init(command: UUID, about key: String, of kind: JobKind) {
    // No kind has a line feed.
    self.init(version5: JobID(command), "\(kind)\n\(key)")
  }

  private init(version5 namespace: JobID, _ name: String) {
    let named = withUnsafeBytes(of: namespace.uuid.uuid) { Array($0) } + Array(name.utf8)
    self.init(UUID(bytes: Array(Digest.sha1(of: named).prefix(16)), version: 5))
  }

  /// The id of one firing of a schedule: version 5 of Teller's own namespace, the schedule's name and the time in
  /// milliseconds since 1970, so that a coordinator that fires it again after a crash names the same job.
  package init(schedule name: String, firedAt time: Timestamp) {
    // An `@` is in no name, so that no two pairs of name and time read alike.
    self.init(plan: JobID.schedules, step: "\(name)@\(time.milliseconds)")
  }

  /// The namespace of firings. It never changes: a new one would submit those under way a second time.
  private static let schedules = JobID(
    UUID(
      uuid: (
        0x5C, 0x37, 0xA1, 0x0E, 0x9D, 0x42, 0x4B, 0x86, 0xB1, 0xF5, 0x70, 0x2E, 0xC8, 0x63, 0xD9, 0x14
      )))

  /// The namespace of the jobs of rules. It never changes, either.
  private static let rules = JobID(
    UUID(
      uuid: (
        0xA4, 0x1B, 0x6E, 0x93, 0x2C, 0x58, 0x4D, 0x07, 0x9A, 0xE1, 0x33, 0xC6, 0x0F, 0xB2, 0x75, 0x68
      )))
}

extension UUID {
  /// A UUID of sixteen bytes, with the version and the variant of RFC 9562 written over theirs.
  fileprivate init(bytes: [UInt8], version: UInt8) {
    var b = bytes
    b[6] = (b[6] & 0x0F) | (version << 4)
    b[8] = (b[8] & 0x3F) | 0x80
    self.init(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
      ))
  }
}
