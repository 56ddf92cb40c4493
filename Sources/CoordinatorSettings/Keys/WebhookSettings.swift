import Decisions
import JobModel
import Yams

extension WebhookSettings {
  enum Keys: String, SettingsKey {
    case address
    case addressFile = "address_file"
    case format
    case secretFile = "secret_file"
    case previousSecretFile = "previous_secret_file"
    case on, limits, allow, attempts, retry
  }

  /// Reads every key. Nil when nobody knows where it delivers, or in which format.
  init?(name: String, _ block: SettingsBlock<Keys>, _ known: KnownDepartments, _ mistakes: inout Mistakes) {
    let format = block[.format] == nil ? .json : block.word(.format, of: Format.self, &mistakes)
    let place = WebhookSettings.place(of: name, block, &mistakes)
    var settings = WebhookSettings(place: place ?? .file(""), format: format ?? .json)
    settings.secretFile = block.path(.secretFile, &mistakes)
    settings.previousSecretFile = block.path(.previousSecretFile, &mistakes)
    if let format { settings.checkSecrets(of: name, format, block, &mistakes) }
    if let on = block.inner(.on, EventFilter.Keys.self, &mistakes) {
      settings.filter = EventFilter(on, known, &mistakes)
    }
    settings.limits = Limits(block, &mistakes)
    settings.allowed = AllowedDestinations(block, &mistakes)
    if let attempts = block.number(.attempts, within: Submission.attemptLimits, &mistakes) {
      settings.attempts = attempts
    }
    if let node = block[.retry], let retry = RetrySettings(node, over: WebhookSettings.usualRetry, &mistakes) {
      settings.retry = retry
    }
    guard let place, format != nil else { return nil }
    settings.checkAddress(place, block, &mistakes)
    self = settings
  }

  /// The address is not shown: it may be a secret.
  private static func place(of name: String, _ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) -> Place? {
    let address = block.value(.address, isSecret: true, &mistakes) { text throws(WebhookAddress.Problem) in
      try WebhookAddress(text)
    }
    let file = block.path(.addressFile, &mistakes)
    switch (block[.address], block[.addressFile]) {
    case (nil, nil): mistakes.note(block.node, "\"\(name)\" needs \"address\" or \"address_file\"")
    case (_?, _?): block.note(.addressFile, "`address:` is there, too: keep one of them", &mistakes)
    default: break
    }
    return address.map(Place.address) ?? file.map(Place.file)
  }

  private func checkSecrets(
    of name: String, _ format: Format, _ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes
  ) {
    switch format {
    case .json:
      if block[.secretFile] != nil { return }
      mistakes.note(block.node, "\"\(name)\" needs \"secret_file\": without a signature anybody could send the same")
    case .slack:
      for key in [Keys.secretFile, .previousSecretFile] where block[key] != nil {
        let problem = "Slack reads no signature: its address is the secret, so name it by \"address_file\""
        block.note(key, problem, &mistakes)
      }
    }
  }

  /// A name is looked up with each delivery; an address can be judged at once.
  private func checkAddress(_ place: Place, _ block: SettingsBlock<Keys>, _ mistakes: inout Mistakes) {
    guard case .address(let address) = place, let literal = IPAddress(address.host),
      let kind = allowed.refusal(of: literal, as: address.host)
    else { return }
    block.note(
      .address, "\(literal) is \(kind.words), and is not reached unless \"allow\" has it, as \(literal)", &mistakes)
  }
}

extension WebhookSettings.Limits {
  /// What `time:` may say.
  private static let timeLimits: ClosedRange<Duration> = .milliseconds(100)...(.seconds(300))
  /// What `concurrency:` may say.
  private static let concurrencyLimits = 1...100
  /// What `response:` may say, in bytes.
  private static let responseLimits: ClosedRange<Int64> = 1_000...1_000_000

  enum Keys: String, SettingsKey {
    case time, concurrency, response
  }

  /// Reads what stands under `limits:` of a webhook.
  fileprivate init(_ webhook: SettingsBlock<WebhookSettings.Keys>, _ mistakes: inout Mistakes) {
    self.init()
    guard let block = webhook.inner(.limits, Keys.self, &mistakes) else { return }
    time = block.duration(.time, within: Self.timeLimits, &mistakes) ?? time
    concurrency = block.number(.concurrency, within: Self.concurrencyLimits, &mistakes) ?? concurrency
    response = block.value(.response, &mistakes, Self.size) ?? response
  }

  private static func size(_ text: String) throws(BadValue) -> Int {
    guard let size = RetentionSettings.bytes(written: text) else {
      throw BadValue("\(Shown.text(text)) is no size: write for example 16KB")
    }
    guard responseLimits.contains(size) else { throw BadValue("it is not between 1KB and 1MB") }
    return Int(size)
  }
}

extension AllowedDestinations {
  /// How many entries `allow:` may have.
  private static let limit = 100

  /// Reads `allow:`, a list of networks, addresses and names of machines.
  fileprivate init(_ block: SettingsBlock<WebhookSettings.Keys>, _ mistakes: inout Mistakes) {
    self.init()
    for element in block.list(.allow, of: "networks and names", atMost: Self.limit, &mistakes) ?? [] {
      let text = element.scalar?.string ?? ""
      if let network = IPNetwork(text) {
        networks.append(network)
      } else if let host = WebhookAddress.hostName(text) {
        hosts.insert(host)
      } else {
        let problem = "\(element.shown) is neither the name of a machine nor a network such as 10.0.0.0/8 or fd00::/8"
        mistakes.note(element, "\"allow\": \(problem)")
      }
    }
  }
}
