import AMQP
import JobModel
import Yams

/// The content of `teller.yaml`, as it stands there.
struct ConfigurationFile: Decodable {
  var broker: BrokerURL?
  var ledger: String?
  var lease: Duration?
  var health: HealthAddress?
  var departments: [String: DepartmentSettings]
  var kinds: [String: KindSettings]

  enum Keys: String, CodingKey, CaseIterable {
    case broker, ledger, lease, health, departments, kinds
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    broker = try container.text(.broker) { text throws(BrokerURLError) in try BrokerURL(text) }
    ledger = try container.text(.ledger) { text throws(BadValue) in
      if text.isEmpty { throw BadValue("the ledger needs a path") }
      return text
    }
    lease = try container.text(.lease) { text throws(BadValue) in try ConfigurationFile.lease(text) }
    health = try container.text(.health) { text throws(BadValue) in try HealthAddress(setting: text) }
    departments = try container.decodeIfPresent([String: DepartmentSettings].self, forKey: .departments) ?? [:]
    kinds = try container.decodeIfPresent([String: KindSettings].self, forKey: .kinds) ?? [:]
  }

  private static func lease(_ text: String) throws(BadValue) -> Duration {
    guard let lease = Duration(written: text) else {
      throw BadValue("\"\(text.prefix(40))\" is no duration: write for example 45s, 1500ms or 2m")
    }
    guard TellerConfiguration.leaseLimits.contains(lease) else { throw BadValue("a lease is between 1s and 24h") }
    return lease
  }
}

/// A value that has the right type and still cannot be used.
struct BadValue: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension DepartmentSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case ordered, window
  }

  /// Reads `ordered:` and `window:`; nothing at all is a department like any other.
  public init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    if container.contains(.ordered) { isOrdered = try container.decode(Bool.self, forKey: .ordered) }
    guard container.contains(.window) else { return }
    let window = try container.number(.window, within: DepartmentSettings.windowLimits)
    if isOrdered { throw container.problem(.window, "an ordered department has no window: one job runs at a time") }
    self.window = window
  }
}

extension KindSettings: Decodable {
  enum Keys: String, CodingKey, CaseIterable {
    case department, attempts
  }

  /// Reads `department:` and `attempts:`.
  public init(from decoder: any Decoder) throws {
    self.init()
    if try decoder.singleValueContainer().decodeNil() { return }
    let container = try decoder.container(keyedBy: Keys.self)
    if container.contains(.department) {
      department = try container.decode(Department.self, forKey: .department)
    }
    if container.contains(.attempts) {
      attempts = try container.number(.attempts, within: Submission.attemptLimits)
    }
  }
}

extension KeyedDecodingContainer {
  /// A text, read further; nil when the key is not there.
  fileprivate func text<Value, Failure: Error & CustomStringConvertible>(
    _ key: Key, _ read: (String) throws(Failure) -> Value
  ) throws -> Value? {
    guard contains(key) else { return nil }
    let text = try decode(String.self, forKey: key)
    do throws(Failure) {
      return try read(text)
    } catch {
      throw problem(key, error.description)
    }
  }

  fileprivate func number(_ key: Key, within limits: ClosedRange<Int>) throws -> Int {
    let number = try decode(Int.self, forKey: key)
    guard limits.contains(number) else {
      throw problem(key, "\(number) is not between \(limits.lowerBound) and \(limits.upperBound)")
    }
    return number
  }

  fileprivate func problem(_ key: Key, _ text: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath + [key], debugDescription: text))
  }
}
