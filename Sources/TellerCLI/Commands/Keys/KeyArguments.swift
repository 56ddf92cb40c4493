import ArgumentParser
import JobModel
import Teller

/// A key and its kind as arguments.
struct KeyArguments: ParsableArguments {
  @Argument(help: "The kind of the jobs that the key is for.")
  var kind: JobKind

  @Argument(help: "The key, 1–\(SubmissionKey.longest) bytes.")
  var key: String

  func validate() throws { try KeyArguments.check(key) }

  var name: JobKey { JobKey(kind: kind, key: key) }

  static func check(_ key: String) throws {
    guard (1...SubmissionKey.longest).contains(key.utf8.count) else {
      throw ValidationError("A KEY has 1–\(SubmissionKey.longest) bytes, as it was given to `teller submit --key`.")
    }
  }
}
