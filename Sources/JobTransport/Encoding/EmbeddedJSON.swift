import JobModel

/// JSON of a user that is put as it is into the body of a message, such as the payload of an event.
///
/// It must be one value. Anything else could end the member that it is meant for, and go on with members of its own: so a
/// push from outside would choose the plan that receives it.
package enum EmbeddedJSON {
  /// Within how many objects and lists the payload of an event stands, and that of a plan's start. Together with its own
  /// these may not be more than the reader takes.
  static let besidePlan = 1
  /// The same for a step of a plan.
  static let inStep = 3

  /// Why the payload cannot be sent with an event or with the start of a plan, for people; nil: it can.
  ///
  /// - Returns: as in `not JSON: more follows its end, at byte 10`.
  package static func flaw(of payload: [UInt8]) -> String? { flaw(of: payload, within: besidePlan) }

  static func flaw(of value: [UInt8], within levels: Int) -> String? {
    // Only the beginning of a whole text may have one.
    if value.starts(with: JSONTokens.byteOrderMark) { return "not JSON: a byte order mark, at byte 0" }
    do throws(Unreadable) {
      var json = try JSONScanner(value, within: levels)
      try json.skip()
      try json.end()
      return nil
    } catch {
      return error.reason
    }
  }
}
