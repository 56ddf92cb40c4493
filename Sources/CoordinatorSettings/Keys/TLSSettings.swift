import Teller

extension TLSSettings {
  enum Keys: String, SettingsKey {
    case ca, certificate, key
  }

  /// Reads `ca:`, `certificate:` and `key:`.
  init(_ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    self.init(
      ca: block.path(.ca, &mistakes), certificate: block.path(.certificate, &mistakes),
      key: block.path(.key, &mistakes))
  }
}
