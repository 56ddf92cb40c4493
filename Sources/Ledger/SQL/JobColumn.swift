/// A column of the table `job`. The text of a statement names its columns by these cases, and so do its values and its
/// rows. Nothing is counted by hand.
///
/// The columns are selected in the order of the cases. So a statement can select a job alone, or more behind it:
///
///     number … deaths | contentType … payload | confirmed … grantedNumber
///     a job           | what it carries       | its release
enum JobColumn: Int, CaseIterable {
  case number, id, kind, department, priority, state, attempt, maxAttempts, release, token
  case orderPlan, orderRank, orderPosition, plan, step, round, replyTo, replyCorrelation, replyWait
  case submittedAt, acceptedAt, releasedAt, startedAt, finishedAt, ranUs
  case errorCode, errorMessage, resultType, result
  case notBefore, openDependencies, startBy, timeoutMs, key, againOf, settlement, replayedAs, byClock, standing
  case withheld, deaths

  case contentType, traceParent, traceState, headers, payload

  case confirmed, adoptedBy, beside, grantedTo, grantedAt, grantedNumber

  // These are written, and not selected.
  case worker, seq

  /// Its name in the file: `max_attempts` for `maxAttempts`.
  var name: String {
    String(describing: self).reduce(into: "") { name, letter in
      if letter.isUppercase { name += "_" }
      name += letter.lowercased()
    }
  }

  /// The parameter for its value in a statement, e.g. `?8`: see ``Bindings/bind(_:_:)``.
  var parameter: String { "?\(rawValue + 1)" }
}

extension JobColumn {
  /// Selects the columns from one to another; null in place of those that are left out.
  static func selection(
    from first: JobColumn = .number, upTo last: JobColumn, without left: Set<JobColumn> = []
  ) -> String {
    allCases[first.rawValue...last.rawValue]
      .map { left.contains($0) ? "NULL" : $0 == .payload ? wholePayload : $0.name }
      .joined(separator: ", ")
  }

  /// A large payload has a table of its own.
  static let wholePayload = "ifnull(payload, (SELECT bytes FROM payload WHERE job = job.number))"

  /// In an `UPDATE`: each of these columns gets its value.
  static func assignments(_ columns: [JobColumn]) -> String {
    columns.map { "\($0.name) = \($0.parameter)" }.joined(separator: ", ")
  }

  /// In an `INSERT`: these columns, and their values.
  static func insertion(_ columns: [JobColumn]) -> String {
    "(\(columns.map(\.name).joined(separator: ", "))) VALUES (\(columns.map(\.parameter).joined(separator: ", ")))"
  }
}
