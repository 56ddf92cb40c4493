import JobModel

/// What `teller doctor` says about one thing: a line of its answer.
struct Finding: Encodable, Hashable {
  /// How it is.
  enum State: String, Encodable {
    case ok
    /// Worth knowing; nothing has to be done now.
    case note
    /// Somebody has to do something.
    case wrong
  }

  /// What was looked at, in the order of the answer.
  enum Area: String, Encodable, CaseIterable {
    case broker, permissions, versions, policies, coordinator, clock, disk, descriptors, ledger, configuration
  }

  let area: Area
  let state: State
  /// What was found.
  let text: String
  /// What to do.
  let cure: String?

  static func ok(_ area: Area, _ text: String) -> Finding { Finding(area: area, state: .ok, text: text, cure: nil) }

  static func note(_ area: Area, _ text: String, cure: String? = nil) -> Finding {
    Finding(area: area, state: .note, text: text, cure: cure)
  }

  static func wrong(_ area: Area, _ text: String, cure: String) -> Finding {
    Finding(area: area, state: .wrong, text: text, cure: cure)
  }

  /// `wrong  disk           2 MB are free …: remove …`.
  var line: String {
    let mark = state.rawValue.padding(to: 7)
    let style: Style? = [.ok: nil, .note: .warning, .wrong: .bad][state] ?? nil
    let words = cure.map { "\(text.hasSuffix(".") ? text.dropLast() : text[...]): \($0)" } ?? text
    return Colors.output.paint(mark, style) + area.rawValue.padding(to: 15) + words.onOneLine
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
