/// A column of the table `job`. A statement names its columns by these, and so does who binds its values or reads its
/// rows: nothing is counted by hand.
///
/// The cases stand in the order in which they are selected, so a job can be read with more or less behind it:
///
///     number … deaths | contentType … payload | confirmed … grantedNumber
///     a job           | what it carries       | its release
enum JobColumn: Int, CaseIterable {
  case number, id, kind, department, priority, state, attempt, maxAttempts, release, token
  case orderPlan, orderRank, orderPosition, plan, step, replyTo, replyCorrelation, replyWait
  case submittedAt, acceptedAt, releasedAt, startedAt, finishedAt, ranUs
  case errorCode, errorMessage, resultType, result
  case notBefore, openDependencies, startBy, timeoutMs, key, againOf, settlement, replayedAs, byClock, standing
  case withheld, deaths

  case contentType, traceParent, traceState, payload

  case confirmed, adoptedBy, beside, grantedTo, grantedAt, grantedNumber

  // Only written with the others.
  case worker, seq

  /// Its name in the file: `max_attempts` of `maxAttempts`.
  var name: String {
    String(describing: self).reduce(into: "") { name, letter in
      if letter.isUppercase { name += "_" }
      name += letter.lowercased()
    }
  }

  /// Stands for its value in a statement: see ``Bindings/bind(_:_:)``.
  var parameter: String { "?\(rawValue + 1)" }
}

extension JobColumn {
  /// Selects the columns from one to another, so that each can be read by its name.
  static func selection(
    from first: JobColumn = .number, upTo last: JobColumn, without left: Set<JobColumn> = []
  ) -> String {
    allCases[first.rawValue...last.rawValue]
      .map { left.contains($0) ? "NULL" : $0 == .payload ? wholePayload : $0.name }
      .joined(separator: ", ")
  }

  /// A large payload is in a table of its own.
  static let wholePayload = "ifnull(payload, (SELECT bytes FROM payload WHERE job = job.number))"

  /// Sets each of these columns to its value, in an `UPDATE`.
  static func assignments(_ columns: [JobColumn]) -> String {
    columns.map { "\($0.name) = \($0.parameter)" }.joined(separator: ", ")
  }

  /// The columns of an `INSERT`, and their values.
  static func insertion(_ columns: [JobColumn]) -> String {
    "(\(columns.map(\.name).joined(separator: ", "))) VALUES (\(columns.map(\.parameter).joined(separator: ", ")))"
  }
}
