import JobModel
import JobTransport
import Yams

/// A rule as it is read: what can be used of it, and where each part stands.
struct RuleDraft {
  enum Keys: String, SettingsKey {
    case on, submit
  }

  enum SubmitKeys: String, SettingsKey {
    case kind, department, payload, priority, key
    case keyWindow = "key_window"
    case delay, attempts
  }

  let name: RuleName
  /// Nil: a part of it is not there, or cannot be used. That is noted.
  private(set) var rule: Rule?
  /// Where the file names the kind and the department of the job.
  private(set) var kind: Node?
  private(set) var department: Node?
  /// Where the filter stands.
  let on: Node

  /// What `delay:` may say.
  private static let delayLimits: ClosedRange<Duration> = .milliseconds(1)...Submission.longestWait
  /// The largest template, in bytes.
  private static let templateLimit = 65_536

  /// Reads every key; `on:` and `submit:` must be there, and the kind of the job.
  init(
    _ name: RuleName, _ block: SettingsBlock<Keys>, _ departments: KnownDepartments, _ mistakes: inout Mistakes
  ) {
    (self.name, on) = (name, block[.on] ?? block.node)
    block.require([.on, .submit], of: "rule \"\(name)\"", &mistakes)
    let before = mistakes.count
    let filter = block.inner(.on, EventFilter.Keys.self, &mistakes).map { EventFilter($0, departments, &mistakes) }
    guard let submit = block.inner(.submit, SubmitKeys.self, &mistakes) else { return }
    (kind, department) = (submit[.kind], submit[.department])
    let job = RuleJob(submit, of: name, &mistakes)
    guard let filter, let job, mistakes.count == before else { return }
    rule = Rule(name, on: filter, submit: job)
  }

  fileprivate static func template(
    _ key: SubmitKeys, _ block: SettingsBlock<SubmitKeys>, _ mistakes: inout Mistakes
  ) -> RuleTemplate? {
    guard let value = key == .key ? block.text(key, &mistakes).map({ JSONText($0) }) : block.payload(key, &mistakes)
    else { return nil }
    guard value.bytes.count <= templateLimit else {
      block.note(key, "it may have at most \(templateLimit) bytes", &mistakes)
      return nil
    }
    do throws(RuleTemplate.Problem) {
      return try RuleTemplate(value)
    } catch {
      block.note(key, error.description, &mistakes)
      return nil
    }
  }

  /// A duration, or the word for: as long as the job lives.
  fileprivate static func window(_ block: SettingsBlock<SubmitKeys>, _ mistakes: inout Mistakes) -> KeyWindow? {
    if block[.keyWindow]?.scalar?.string == KeyWindow.whileLiveWord { return .whileLive }
    return block.duration(.keyWindow, within: SubmissionKey.windowLimits, &mistakes).map { .lasting($0) }
  }

  fileprivate static func delay(_ block: SettingsBlock<SubmitKeys>, _ mistakes: inout Mistakes) -> Duration? {
    block.duration(.delay, within: delayLimits, &mistakes)
  }
}

extension RuleJob {
  /// Nil: it has no kind that can be used.
  fileprivate init?(
    _ block: SettingsBlock<RuleDraft.SubmitKeys>, of rule: RuleName, _ mistakes: inout Mistakes
  ) {
    block.require([.kind], of: "\"submit\" of rule \"\(rule)\"", &mistakes)
    let kind = block.name(.kind, &mistakes) { JobKind($0) }
    let department = block.name(.department, &mistakes) { Department($0) }
    let payload = RuleDraft.template(.payload, block, &mistakes)
    let priority = block.number(.priority, within: 0...9, &mistakes).flatMap { Priority($0) }
    let key = RuleDraft.template(.key, block, &mistakes)
    let window = RuleDraft.window(block, &mistakes)
    let delay = RuleDraft.delay(block, &mistakes)
    let attempts = block.number(.attempts, within: Submission.attemptLimits, &mistakes)
    if window != nil, block[.key] == nil { block.note(.keyWindow, "there is no \"key\" beside it", &mistakes) }
    guard let kind else { return nil }
    self.init(
      kind, department: department, payload: payload, priority: priority ?? .normal, key: key, keyWindow: window,
      delay: delay, attempts: attempts)
  }
}
