import JobModel

/// The values of the bodies that are written by hand.
extension JSONScanner {
  /// The name of a department, a kind, a plan or an event.
  mutating func name<Value>(_ make: (String) -> Value?) throws(Unreadable) -> Value {
    let place = place
    let text = try text()
    guard let value = make(text) else {
      throw Unreadable("\(Excerpt.quoted(text)) is not a name: 1–100 letters, digits, - and _\(place)")
    }
    return value
  }

  /// True or false.
  mutating func flag() throws(Unreadable) -> Bool {
    let place = place
    let written = String(decoding: try written(), as: UTF8.self)
    guard let flag = Bool(written) else { throw Unreadable("not true or false\(place)") }
    return flag
  }

  /// A number of milliseconds.
  mutating func milliseconds() throws(Unreadable) -> Duration { .milliseconds(Int64(try wholeNumber())) }

  /// A value as it is written; null is the same as none.
  mutating func payload() throws(Unreadable) -> [UInt8]? { try null() ? nil : try written() }

  /// Nil in place of null.
  mutating func unlessNull<Value>(
    _ read: (inout JSONScanner) throws(Unreadable) -> Value
  ) throws(Unreadable) -> Value? { try null() ? nil : try read(&self) }

  /// The elements of a list.
  mutating func elements<Value>(
    _ read: (inout JSONScanner) throws(Unreadable) -> Value
  ) throws(Unreadable) -> [Value] {
    var values: [Value] = []
    try list { json throws(Unreadable) in values.append(try read(&json)) }
    return values
  }

  func required<Value>(_ value: Value?, _ member: String) throws(Unreadable) -> Value {
    guard let value else { throw Unreadable("\"\(member)\" is missing\(place)") }
    return value
  }
}

extension Unreadable {
  /// An unknown member is refused: if it were ignored in silence, such as `optional`, the whole would be carried out in
  /// another way than its sender asked for.
  init(unknown member: String, of whole: String) {
    self.init("this version of Teller does not know the member \(Excerpt.quoted(member)) of \(whole)")
  }
}
