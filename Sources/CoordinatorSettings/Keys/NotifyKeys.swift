import JobModel

extension SettingsBlock {
  /// The optional events that are recorded; nil: the key is not there. An empty list stands for none.
  func notify(_ key: Key, of known: Set<OptionalEvent>, _ mistakes: inout Mistakes) -> Set<OptionalEvent>? {
    guard let node = self[key] else { return nil }
    if node.isNothing {
      note(key, "write [] where nothing beside outcomes is to be told", &mistakes)
      return nil
    }
    let names = OptionalEvent.allCases.filter(known.contains).map(\.rawValue)
    return self.names(key, &mistakes) { text throws(BadValue) in
      if let event = OptionalEvent(rawValue: text), known.contains(event) { return event }
      let meant = Suggestion.nearest(to: text, in: names).map { "; did you mean \($0)?" }
      throw BadValue("\(Shown.text(text)) cannot be chosen here\(meant ?? ": \(names.joined(separator: ", ")) can")")
    }
  }

  /// The changes of jobs that are relayed; none where the key is not there.
  func live(_ key: Key, _ mistakes: inout Mistakes) -> Set<LiveEvent> {
    names(key, &mistakes) { text throws(BadValue) in
      if let event = LiveEvent(rawValue: text) { return event }
      let names = LiveEvent.allCases.map(\.rawValue)
      let meant = Suggestion.nearest(to: text, in: names).map { "; did you mean \($0)?" }
      throw BadValue("\(Shown.text(text)) cannot be chosen here\(meant ?? ": \(names.joined(separator: ", ")) can")")
    }
  }
}
