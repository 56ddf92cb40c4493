import Foundation
import TestSupport
import Testing

@testable import JobModel

@Suite("Time zones")
struct ZoneTests {
  struct Refused: CustomTestStringConvertible {
    var name: String
    /// What the line about it names.
    var words: [String]
    var testDescription: String { String(name.prefix(40)) }

    init(_ name: String, _ words: [String]) { (self.name, self.words) = (name, words) }
  }

  static let refused = texts.map(Refused.init)

  private static let texts: [(String, [String])] = [
    ("BST", ["Europe/London", "Asia/Dhaka"]), ("IST", ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"]),
    ("CST", ["America/Chicago", "Asia/Shanghai"]), ("EST", ["America/New_York"]), ("MST", ["America/Denver"]),
    ("HST", ["Pacific/Honolulu"]), ("CET", ["Europe/Berlin"]), ("CEST", ["Europe/Berlin"]), ("bst", ["Europe/London"]),
    ("PST", ["America/Los_Angeles"]), ("EET", ["Europe/Athens"]), ("MET", ["Europe/Berlin"]),
    ("WET", ["Europe/Lisbon"]), ("Factory", ["not the name of a place", "UTC"]), ("posixrules", ["not the name of"]),
    ("localtime", ["not the name of"]), ("posix/Europe/Berlin", ["without \"posix/\""]),
    ("right/Europe/Berlin", ["without \"right/\""]), ("europe/berlin", ["did you mean \"Europe/Berlin\""]),
    ("EUROPE/BERLIN", ["did you mean \"Europe/Berlin\""]), ("utc", ["did you mean \"UTC\""]),
    ("Europe/Berlni", ["did you mean \"Europe/Berlin\""]), ("Europe", ["no time zone"]), ("", ["no time zone"]),
    ("Europe/", ["no time zone"]), ("/Europe/Berlin", ["no time zone"]), ("Europe//Berlin", ["no time zone"]),
    ("../../../etc/passwd", ["no time zone"]), ("Europe/../Europe/Berlin", ["no time zone"]),
    ("zone.tab", ["no time zone"]), ("tzdata.zi", ["no time zone"]), ("leapseconds", ["no time zone"]),
    ("GMT+5", ["an offset"]), ("UTC+1", ["an offset"]), ("+01:00", ["an offset"]), ("CET-1CEST", ["no time zone"]),
    (" UTC", ["did you mean \"UTC\""]), ("Europe/Berlin ", ["did you mean"]), ("Europe/Berlin\0", ["did you mean"]),
    (String(repeating: "a", count: 5_000), ["no time zone"]),
  ]

  /// The system's data, and what is compiled in.
  static let sources = [ZoneData.present, ZoneData(folders: [])]

  @Test("a name that is not the full name of one place is refused, with what to write", arguments: refused, sources)
  func refuses(example: Refused, data: ZoneData) {
    let error = #expect(throws: ZoneError.self) { try Zone(example.name, in: data) }
    for word in example.words { #expect(error?.description.contains(word) == true, "\(String(describing: error))") }
  }

  @Test(
    "a full name is taken, old ones too",
    arguments: [
      "UTC", "GMT", "Etc/UTC", "Etc/GMT+5", "Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince",
      "Asia/Calcutta", "Pacific/Chatham",
    ], sources)
  func takes(name: String, data: ZoneData) throws {
    #expect(try Zone(name, in: data).name == name)
    #expect(data.names.contains(name) || data.folder == nil)
  }

  @Test("every name of the data is taken, and none of them is an abbreviation", arguments: sources)
  func names(data: ZoneData) throws {
    #expect(data.names.count > 300)
    for name in data.names {
      #expect(throws: Never.self) { try Zone(name, in: data) }
      #expect(name.contains("/") || !["EST", "MST", "HST", "CET", "MET", "EET", "WET", "Factory"].contains(name))
    }
  }

  @Test("what is suggested for an abbreviation is a zone")
  func suggestions() throws {
    for name in ZoneNames.suggested { #expect(throws: Never.self, "\(name)") { try Zone(name) } }
  }

  @Test("the data of the system has the clocks that Foundation has, wherever these are the same by now")
  func foundation() throws {
    var random = SeededRandom(for: "moments in time zones")
    // Where a year has brought new rules, one of the two may not have them yet.
    let settled = [
      "Europe/Berlin", "America/New_York", "Europe/London", "Asia/Tokyo", "Australia/Lord_Howe", "Asia/Kolkata",
      "America/Sao_Paulo", "Pacific/Apia", "America/St_Johns", "Europe/Dublin", "Pacific/Chatham", "Asia/Kathmandu",
      "Antarctica/Troll", "Australia/Sydney", "America/Santiago",
    ]
    for name in settled {
      let (zone, other) = (try Zone(name), try #require(TimeZone(identifier: name)))
      for _ in 0..<2_000 {
        // From 1970 to 2100.
        let time = Int.random(in: 0...4_102_444_800, using: &random)
        let expected = other.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time)))
        #expect(zone.offset(at: time) == expected, "\(name) at \(time)")
      }
    }
  }

  @Test("the release of the data is told, and where it is")
  func version() {
    #expect(ZoneData(folders: []).text.hasSuffix(", compiled in: this machine has none"))
    if let folder = ZoneData.present.folder { #expect(ZoneData.present.text.hasSuffix(", in \(folder)")) }
  }

  @Test("the first folder with zone data counts, with its release; a folder without any is passed over")
  func folders() throws {
    let empty = try TemporaryFolder()
    let folder = try TemporaryFolder()
    for place in ["Mars", "Europe"] {
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent(place), withIntermediateDirectories: true)
    }
    for name in ["UTC", "Mars/Olympus", "localtime", "Mars/lower"] {
      try Data(ZoneSample.file(rule: "MST3")).write(to: folder.url.appendingPathComponent(name))
    }
    try Data("damaged".utf8).write(to: folder.url.appendingPathComponent("Europe/Berlin"))
    try Data("# version 2027a\n# more\n".utf8).write(to: folder.url.appendingPathComponent("tzdata.zi"))
    let data = ZoneData(folders: [empty.url.path, "/nowhere", folder.url.path, "/usr/share/zoneinfo"])
    #expect(data.folder == folder.url.path && data.text == "2027a, in \(folder.url.path)")
    #expect(Set(data.names) == ["UTC", "Mars/Olympus", "Europe/Berlin"])
    #expect(try Zone("Mars/Olympus", in: data).offset(at: 0) == -10_800)
    #expect(throws: ZoneError.self) { try Zone("Asia/Tokyo", in: data) }
    let error = #expect(throws: ZoneError.self) { try Zone("Europe/Berlin", in: data) }
    #expect(error?.description.contains("damaged: look at \(folder.url.path)/Europe/Berlin") == true)
  }
}
