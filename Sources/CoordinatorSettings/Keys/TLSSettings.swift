public import Teller

extension TLSSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case ca, certificate, key
  }

  /// Reads `ca:`, `certificate:` and `key:`.
  public init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    ca = try container.path(.ca)
    certificate = try container.path(.certificate)
    key = try container.path(.key)
  }
}
