import Foundation
package import JobModel

/// A health report as it goes over HTTP.
package struct HealthDocument: Codable, Hashable, Sendable {
  /// One check of the report.
  package struct Check: Codable, Hashable, Sendable {
    package var name: String
    package var ok: Bool
    package var detail: String
    /// How long ago the check was last seen to be so, in milliseconds.
    package var ageMs: Int64?

    enum CodingKeys: String, CodingKey {
      case name, ok, detail
      case ageMs = "age_ms"
    }
  }

  package var ready: Bool
  package var checks: [Check]

  package init(_ report: HealthReport) {
    ready = report.isReady
    checks = report.checks.map { check in
      Check(name: check.name, ok: check.isOK, detail: check.detail, ageMs: check.age?.milliseconds)
    }
  }

  /// The document as JSON, with sorted members.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(self))
    } catch {
      assertionFailure("texts and whole numbers have always a form in JSON: \(error)")
      return Array(#"{"checks":[],"ready":false}"#.utf8)
    }
  }
}

extension HealthReport {
  /// The report of a process that does not give one.
  static func unanswered(within limit: Duration) -> HealthReport {
    HealthReport([
      Check("answer", isOK: false, detail: "it hangs: it did not say within \(limit.inWords) how it is")
    ])
  }
}
