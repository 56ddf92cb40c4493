/// Which names of the zone data name one place.
enum ZoneNames {
  /// What people write for short, and the places that they may mean by it.
  private static let abbreviations: [String: [String]] = [
    "ACDT": ["Australia/Adelaide"], "ACST": ["Australia/Adelaide", "Australia/Darwin"], "ADT": ["America/Halifax"],
    "AEDT": ["Australia/Sydney"], "AEST": ["Australia/Sydney", "Australia/Brisbane"], "AKDT": ["America/Anchorage"],
    "AKST": ["America/Anchorage"], "AMT": ["America/Manaus", "Asia/Yerevan"],
    "ART": ["America/Argentina/Buenos_Aires"], "AST": ["America/Halifax", "America/Puerto_Rico", "Asia/Riyadh"],
    "AWST": ["Australia/Perth"], "BRT": ["America/Sao_Paulo"], "BST": ["Europe/London", "Asia/Dhaka"],
    "CAT": ["Africa/Maputo"], "CDT": ["America/Chicago", "America/Havana"], "CEST": ["Europe/Berlin"],
    "CET": ["Europe/Berlin", "Africa/Algiers"], "CST": ["America/Chicago", "Asia/Shanghai", "America/Havana"],
    "EAT": ["Africa/Nairobi"], "ECT": ["America/Guayaquil"], "EDT": ["America/New_York"], "EEST": ["Europe/Athens"],
    "EET": ["Europe/Athens", "Africa/Cairo"], "EST": ["America/New_York", "America/Panama"], "GST": ["Asia/Dubai"],
    "HKT": ["Asia/Hong_Kong"], "HST": ["Pacific/Honolulu"], "ICT": ["Asia/Bangkok"], "IDT": ["Asia/Jerusalem"],
    "IST": ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"], "JST": ["Asia/Tokyo"], "KST": ["Asia/Seoul"],
    "MDT": ["America/Denver"], "MEST": ["Europe/Berlin"], "MET": ["Europe/Berlin"], "MSK": ["Europe/Moscow"],
    "MST": ["America/Denver", "America/Phoenix"], "NDT": ["America/St_Johns"], "NST": ["America/St_Johns"],
    "NZDT": ["Pacific/Auckland"], "NZST": ["Pacific/Auckland"], "PDT": ["America/Los_Angeles"],
    "PKT": ["Asia/Karachi"], "PST": ["America/Los_Angeles", "Asia/Manila"], "SAST": ["Africa/Johannesburg"],
    "SGT": ["Asia/Singapore"], "SST": ["Pacific/Pago_Pago", "Asia/Singapore"], "WAT": ["Africa/Lagos"],
    "WEST": ["Europe/Lisbon"], "WET": ["Europe/Lisbon"], "WIB": ["Asia/Jakarta"],
  ]
  /// Files of the zone data that are no place: which one they mean differs from machine to machine, or changes.
  private static let placeless = ["factory", "localtime", "posixrules", "local"]

  /// Every place that is suggested.
  static var suggested: Set<String> { Set(abbreviations.values.joined()) }

  /// Refuses every name but the full names of places in the data, and of UTC.
  static func check(_ name: String, in data: ZoneData) throws(ZoneError) {
    if let refusal = refusal(of: name) { throw refusal }
    guard data.knows(name) else { throw .unknown(name, in: data) }
  }

  /// What is to be written instead of a name that is no full name of one place, whether the data has it or not.
  static func refusal(of name: String) -> ZoneError? {
    if placeless.contains(name.lowercased()) {
      return ZoneError("is not the name of a place: write for example Europe/Berlin or UTC")
    }
    for folder in ["posix/", "right/"] where name.hasPrefix(folder) {
      return ZoneError("is not the name of a place: write it without \"\(folder)\"")
    }
    guard let places = abbreviations[name.uppercased()] else { return nil }
    let names = places.count == 1 ? places[0] : "\(places.dropLast().joined(separator: ", ")) or \(places.last ?? "")"
    return ZoneError("is an abbreviation, and not the name of one place: write \(names)")
  }

  /// Whether a text says how far a clock is from UTC, such as `GMT+5` or `+01:00`.
  static func isOffset(_ text: String) -> Bool {
    let offset = text.trimmingPrefix("GMT").trimmingPrefix("UTC")
    guard let sign = offset.first, "+-".contains(sign), offset.count > 1 else { return false }
    return offset.dropFirst().utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ":") }
  }

  /// Whether a text has the form of a part of a name, such as `Port-au-Prince` or `GMT+5`.
  static func isPart(_ text: String) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "+-_".utf8.contains(byte)
    }
  }
}
