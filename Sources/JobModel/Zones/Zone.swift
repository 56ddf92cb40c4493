import Foundation

/// A time zone: its full name in the IANA database, and how far its clocks are from UTC at each moment.
///
/// Two of one name are different when their data is: a reload takes over new data of the system.
package struct Zone: Hashable, Sendable {
  /// Such as `Europe/Zurich`.
  package let name: String
  private let clocks: Clocks

  private enum Clocks: Hashable, Sendable {
    case same
    case file(ZoneFile)
    /// Foundation's, where the system has no zone data.
    case compiledIn(TimeZone)
  }

  private init(_ name: String, _ clocks: Clocks) { (self.name, self.clocks) = (name, clocks) }

  /// Needs no zone data.
  package static let utc = Zone("UTC", .same)

  /// The zone of that name.
  /// - Throws: Why there is none, and what to write instead.
  package init(_ name: String, in data: ZoneData = .present) throws(ZoneError) {
    if name == Zone.utc.name {
      self = .utc
      return
    }
    try ZoneNames.check(name, in: data)
    guard let folder = data.folder else {
      guard let zone = TimeZone(identifier: name) else { throw .unknown(name, in: data) }
      self.init(name, .compiledIn(zone))
      return
    }
    let path = "\(folder)/\(name)"
    guard let bytes = FileManager.default.contents(atPath: path), let file = ZoneFile(Array(bytes)) else {
      throw ZoneError("has zone data that cannot be read, or is damaged: look at \(path)")
    }
    self.init(name, .file(file))
  }

  /// Wall time minus UTC, in seconds, at a number of seconds since 1970.
  func offset(at time: Int) -> Int {
    switch clocks {
    case .same: 0
    case .file(let file): file.offset(at: time)
    case .compiledIn(let zone): zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
    }
  }
}

/// Why a text names no time zone, and what to write instead. It stands behind that text: `is an abbreviation …`.
package struct ZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  static func unknown(_ name: String, in data: ZoneData) -> ZoneError {
    if ZoneNames.isOffset(name) {
      return ZoneError(
        "is an offset, and not the name of a place: write for example Europe/Berlin, or Etc/GMT-5 for UTC+5")
    }
    let known = data.names
    let meant =
      known.first { $0.lowercased() == name.lowercased() } ?? Suggestion.nearest(to: name, in: known)
    let advice = meant.map { "; did you mean \"\($0)\"?" } ?? ": write for example Europe/Berlin or UTC"
    return ZoneError("is no time zone that this machine knows\(advice)")
  }
}
