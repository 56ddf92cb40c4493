package import JobModel

/// A webhook of the configuration: what is delivered, where, and how.
package struct WebhookSettings: Hashable, Sendable {
  /// The kind of the jobs of all webhooks.
  package static let kind: JobKind = "webhook"
  /// What the departments of webhooks begin with.
  package static let departmentPrefix = "webhook-"
  /// The longest name: that of the department has at most 100 characters.
  package static let longestName = 100 - departmentPrefix.count
  /// How many webhooks there may be: each has a department.
  package static let limit = 100

  /// How a notification is written for the receiver.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// As the notification stream has it, signed.
    case json
    /// As one line of text, for Slack and what takes the same.
    case slack
  }

  /// Where the address stands.
  package enum Place: Hashable, Sendable {
    case address(WebhookAddress)
    /// The first line of that file, where the address is a secret.
    case file(String)
  }

  /// How much a delivery may take.
  package struct Limits: Hashable, Sendable {
    /// The time from the look-up of the name to the end of the answer.
    package var time: Duration
    /// How many deliveries run at once.
    package var concurrency: Int
    /// How many bytes of the answer are read.
    package var response: Int

    /// The given limits, or the defaults.
    package init(time: Duration = .seconds(15), concurrency: Int = 4, response: Int = 16_000) {
      (self.time, self.concurrency, self.response) = (time, concurrency, response)
    }
  }

  /// Where it delivers.
  package var place: Place
  /// How it writes.
  package var format: Format
  /// The file of the secret that signs; nil: nothing is signed.
  package var secretFile: String?
  /// The file of the secret before it, which signs, too, until all receivers know the new one.
  package var previousSecretFile: String?
  /// What it delivers.
  package var filter: EventFilter
  /// How much a delivery may take.
  package var limits: Limits
  /// What it may reach inside.
  package var allowed: AllowedDestinations
  /// How often a delivery is tried.
  package var attempts: Int
  /// How long it waits in between.
  package var retry: RetrySettings

  /// From seconds to an hour: with ``usualAttempts`` about a day.
  package static let usualRetry = RetrySettings(first: .seconds(5), factor: 3, longest: .seconds(3_600))
  /// See ``usualRetry``.
  package static let usualAttempts = 30

  /// The given settings, or the defaults.
  package init(
    place: Place, format: Format = .json, secretFile: String? = nil, previousSecretFile: String? = nil,
    filter: EventFilter = EventFilter(), limits: Limits = Limits(),
    allowed: AllowedDestinations = AllowedDestinations(), attempts: Int = WebhookSettings.usualAttempts,
    retry: RetrySettings = WebhookSettings.usualRetry
  ) {
    self.place = place
    self.format = format
    self.secretFile = secretFile
    self.previousSecretFile = previousSecretFile
    self.filter = filter
    self.limits = limits
    self.allowed = allowed
    self.attempts = attempts
    self.retry = retry
  }

  /// The department of a webhook's jobs; nil: the name is too long.
  package static func department(of name: String) -> Department? { Department(departmentPrefix + name) }
}
