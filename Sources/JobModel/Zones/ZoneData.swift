import Foundation

/// Where the clocks of time zones come from: the system's zone data where there is any, which its updates keep up to
/// date; else what this program was built with.
package struct ZoneData: Sendable {
  /// The folder of the system's zone data; nil: there is none.
  package let folder: String?

  /// Where systems have it; `TZDIR` goes first.
  private static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"]

  /// That of this machine.
  package static let present = ZoneData(
    folders: [ProcessInfo.processInfo.environment["TZDIR"]].compactMap(\.self) + folders)

  /// The first of these folders that has zone data.
  init(folders: [String]) {
    folder = folders.first { folder in
      let utc = FileManager.default.contents(atPath: "\(folder)/UTC")
      return utc.flatMap { ZoneFile(Array($0)) } != nil
    }
  }

  /// Which release of the IANA database it is, and where it is: `2025b, of /usr/share/zoneinfo`.
  package var text: String {
    guard let folder else { return "\(TimeZone.timeZoneDataVersion), compiled in: this machine has none" }
    return "\(version(in: folder) ?? "of an unknown release"), in \(folder)"
  }

  /// The database says it in its first line, `# version 2025b`; some systems have it in a file of its own.
  private func version(in folder: String) -> String? {
    if let line = ZoneData.firstLine(of: "\(folder)/tzdata.zi"), line.hasPrefix("# version ") {
      return String(line.dropFirst("# version ".count))
    }
    return ZoneData.firstLine(of: "\(folder)/+VERSION")
  }

  private static func firstLine(of path: String) -> String? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: 64) else { return nil }
    let line = String(decoding: start.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let isPlain = !line.isEmpty && line.unicodeScalars.allSatisfy { (" "..."~").contains($0) }
    return isPlain ? line : nil
  }

  /// Every name that may be used.
  var names: [String] {
    let all = folder.map { ZoneData.names(in: $0, below: 2) } ?? ["UTC"] + TimeZone.knownTimeZoneIdentifiers
    return all.filter { ZoneNames.refusal(of: $0) == nil }
  }

  private static func names(in folder: String, below levels: Int) -> [String] {
    entries(of: folder).flatMap { entry -> [String] in
      let path = "\(folder)/\(entry)"
      guard let isFolder = isFolder(path) else { return [] }
      if !isFolder { return [entry] }
      return levels == 0 ? [] : names(in: path, below: levels - 1).map { "\(entry)/\($0)" }
    }
  }

  /// The entries of a folder that may be a part of a zone's name: other files beside them begin with small letters.
  private static func entries(of folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter(ZoneNames.isPart).sorted()
  }

  /// Whether there is a zone of that name, in that spelling: some systems do not tell upper and lower case apart.
  func knows(_ name: String) -> Bool {
    guard let folder else {
      // Foundation has these, and does not list them.
      if name == "GMT" || name.hasPrefix("Etc/") { return TimeZone(identifier: name) != nil }
      return TimeZone.knownTimeZoneIdentifiers.contains(name)
    }
    var path = folder
    for part in name.split(separator: "/", omittingEmptySubsequences: false).map(String.init) {
      guard ZoneNames.isPart(part), ZoneData.entries(of: path).contains(part) else { return false }
      path += "/\(part)"
    }
    return ZoneData.isFolder(path) == false
  }

  /// Nil: there is nothing of that name.
  private static func isFolder(_ path: String) -> Bool? {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) ? isFolder.boolValue : nil
  }
}
