import TellerHealth

extension HealthAddress {
  /// Reads a setting; the error is for people.
  init(setting text: String) throws(BadValue) {
    guard let address = HealthAddress(text) else {
      throw BadValue("\(Shown.text(text)) is no address: write for example 127.0.0.1:8081")
    }
    self = address
  }
}
