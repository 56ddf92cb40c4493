/// A command of a page, as it is run against a system of a test.
struct PlayedCommand: Sendable {
  let program: String
  let arguments: [String]

  /// - Parameter words: The program's name, and its arguments.
  init(_ words: [String]) {
    program = words.first ?? ""
    arguments = Array(words.dropFirst())
  }

  /// The command's name: `status`, or `ledger` of `ledger backup`.
  var name: String { arguments.first ?? "" }

  /// How the command ends.
  enum End: Sendable {
    /// By itself.
    case itself
    /// With Ctrl-C, once it has begun.
    case interrupt
  }

  var end: End {
    let isWatch = name == "watch" || arguments.contains("--watch") || arguments.contains("-w")
    return isWatch ? .interrupt : .itself
  }

  /// Why the command is not run here; nil when it is.
  var reasonNotToRun: String? {
    if program == "bank", name == "worker" { return "a worker runs already" }
    if arguments.contains(where: { $0.hasPrefix("/") }) { return "the file is on another machine" }
    switch name {
    case "broker": return "the coordinator would stop serving"
    case "doctor" where arguments.contains("--management"): return "the broker of the tests has no management API"
    case "coordinator": return "a coordinator runs already"
    case "webhooks", "page", "help", "completions", "": return "its own tests run it"
    default: return nil
    }
  }

  /// Whether the plan of the pages must have been opened before.
  var needsPlan: Bool { ["plan", "event"].contains(name) || arguments.contains("--plan") }

  /// In which state the jobs must be that the command names; or it names the run of the plan, or an event.
  enum Standing: Hashable, Sendable { case held, failed, succeeded, plan, announced }

  var standing: Standing {
    if arguments.contains("--plan") { return .plan }
    switch name {
    case "plan": return .plan
    case "event": return .announced
    default: return standingOfJobs
    }
  }

  private var standingOfJobs: Standing {
    switch name {
    case "replay", "drop": .failed
    case "cancel", "rerank", "explain": .held
    default: .succeeded
    }
  }

  /// The arguments with the names of real things, and with a yes where a person would be asked.
  ///
  /// - Parameters:
  ///   - jobs: The ids in the places of jobs, in order.
  ///   - names: Other words that stand for something, each with that.
  /// - Returns: The arguments to run the command with.
  func arguments(jobs: [String], names: [String: String]) -> [String] {
    var rest = jobs[...]
    let named = arguments.map { $0.contains(Placeholders.job) ? rest.popFirst() ?? $0 : names[$0] ?? $0 }
    let asks = ["cancel", "replay", "drop", "reset", "restore"].contains(name) && !named.contains("--yes")
    if name == "restore", !named.contains("drop") { return named }
    let isAboutMany =
      ["reset", "restore"].contains(name)
      || named.contains { ["--all", "-d", "-k", "--department", "--kind"].contains($0) }
    return asks && isAboutMany && !named.contains("-y") ? named + ["--yes"] : named
  }

  /// How many jobs the command names.
  var jobCount: Int { arguments.count { $0.contains(Placeholders.job) } }
}
