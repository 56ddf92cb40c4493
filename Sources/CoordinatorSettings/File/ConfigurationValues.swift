/// A value that has the right type and cannot be used.
struct BadValue: Error, CustomStringConvertible {
  /// How many characters of a wrong text are shown.
  static let shownCharacters = 40

  let description: String
  init(_ description: String) { self.description = description }
}

extension KeyedDecodingContainer {
  /// The value of a key; nil when the key is not there. A key without a value is an error, unlike in `decodeIfPresent`.
  func given<Value: Decodable>(_ key: Key) throws -> Value? {
    try contains(key) ? decode(Value.self, forKey: key) : nil
  }

  /// The value that a text is read as; nil when the key is not there.
  func text<Value, Failure: Error & CustomStringConvertible>(
    _ key: Key, _ read: (String) throws(Failure) -> Value
  ) throws -> Value? {
    guard let text: String = try given(key) else { return nil }
    do throws(Failure) {
      return try read(text)
    } catch {
      throw problem(key, error.description)
    }
  }

  /// The path of a file; nil when the key is not there.
  func path(_ key: Key) throws -> String? {
    try text(key) { path throws(BadValue) in
      if path.isEmpty { throw BadValue("it needs the path of a file") }
      return path
    }
  }

  /// A number between two limits, both included; nil when the key is not there.
  func number<Number: Decodable & Comparable>(_ key: Key, within limits: ClosedRange<Number>) throws -> Number? {
    guard let number: Number = try given(key) else { return nil }
    guard limits.contains(number) else {
      throw problem(key, "\(number) is not between \(limits.lowerBound) and \(limits.upperBound)")
    }
    return number
  }

  /// A duration between two limits, both included; nil when the key is not there.
  func duration(_ key: Key, within limits: ClosedRange<Duration>) throws -> Duration? {
    try text(key) { text throws(BadValue) in
      guard let duration = Duration(written: text) else {
        throw BadValue(
          "\"\(text.prefix(BadValue.shownCharacters))\" is no duration: write for example 45s, 1500ms or 2m")
      }
      guard limits.contains(duration) else {
        throw BadValue(
          "\(text) is not between \(limits.lowerBound.written) and \(limits.upperBound.written)")
      }
      return duration
    }
  }

  /// The error for a value that cannot be used.
  func problem(_ key: Key, _ text: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath + [key], debugDescription: text))
  }
}
