import JobModel

/// What stands before every path of the page.
enum PagePrefix {
  private static let longest = 200

  /// What is wrong with a prefix, for people; nil: nothing.
  static func problem(of prefix: String) -> String? {
    if prefix.isEmpty { return nil }
    let parts = prefix.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let isValid = prefix.hasPrefix("/") && prefix.utf8.count <= longest && parts.allSatisfy(isPart)
    return isValid ? nil : "\"\(prefix.onOneLine)\" is no path: write for example /jobs, without a slash at the end"
  }

  private static func isPart(_ part: Substring) -> Bool {
    let isOrdinary = part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.~".contains($0)) }
    return isOrdinary && !part.isEmpty && part != "." && part != ".."
  }
}

/// Where a screen is.
enum ScreenPath {
  private static let longest = 40

  /// The paths of the page itself.
  static let own: Set<String> = [
    "api", "assets", "departments", "jobs", "failed", "plans", "workers", "schedules", "keys", "rejected", "webhooks",
    "report", "actions", "operations", "events", "sign-in",
  ]

  static func isValid(_ path: String) -> Bool { hasValidForm(path) && !own.contains(path) }

  /// Whether a file with that name may stand beside the script of a screen.
  static func isModule(_ name: String) -> Bool { name.hasSuffix(".js") && hasValidForm(String(name.dropLast(3))) }

  static func hasValidForm(_ name: String) -> Bool {
    (1...longest).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte.isDigit || byte == UInt8(ascii: "-")
      }
  }
}
