package import AMQP
public import JobModel

/// Where the broker is, and what the coordinator needs to know beside it.
///
/// Each setting is looked for in this order: what the program was given (a flag), the environment (`TELLER_BROKER_URL` or
/// `TELLER_BROKER_URL_FILE`, `TELLER_BROKER_CA`, `TELLER_BROKER_CERTIFICATE`, `TELLER_BROKER_KEY`, `TELLER_INSECURE`,
/// `TELLER_LEDGER`, `TELLER_HEALTH`, `TELLER_CONFIG`), the file `teller.yaml`, the default. See ``load(broker:ledger:file:environment:)``.
/// Neither its description nor its errors show the broker's password.
public struct TellerConfiguration: Sendable, Hashable {
  /// Where the broker listens, who asks, and which virtual host is meant; with the password.
  package var brokerURL = BrokerURL(host: "127.0.0.1")
  /// A file that `teller.yaml` names, whose first line is the broker's URL, until it has been read.
  var brokerFile: String?
  /// Whether `amqp://`, which is not encrypted, may be used to a host other than this machine. Everyone on the way can
  /// read the broker's password and all jobs then: true only where the network is trusted. Without it
  /// ``TellerClient/connect(_:name:timeouts:logger:)`` and ``Worker/run(trapsSignals:)`` throw
  /// ``ConfigurationError/notEncrypted(host:)`` before they connect.
  public var allowsPlaintext = false
  /// The path of the coordinator's ledger file; a relative one begins at the working directory.
  public var ledger = TellerConfiguration.defaultLedger
  /// How long a worker may be silent before the coordinator takes its jobs back. Read by the coordinator only.
  public var lease = TellerConfiguration.defaultLease
  /// Where the coordinator answers `/health` and `/ready`; nil: nowhere. Read by the coordinator only.
  public var health: HealthAddress?
  /// The departments that exist. Read by the coordinator only.
  public var departments: [Department: DepartmentSettings] = [:]
  /// What jobs of a kind have that does not say so itself. Read by the coordinator only.
  public var kinds: [JobKind: KindSettings] = [:]
  /// Jobs that are submitted by the clock, by the schedules' names. Read by the coordinator only.
  public var schedules: [String: ScheduleSettings] = [:]
  /// How long what has ended is kept. Read by the coordinator only.
  public var retention = RetentionSettings()
  /// What one level of priority is worth in waiting: a job that has waited this much longer than another stands as if it
  /// were one level higher, so that low priorities are not passed over for ever. Read by the coordinator only.
  public var priorityWorth = TellerConfiguration.defaultPriorityWorth

  /// What each user of the broker may do, by name; nil: the broker's permissions alone decide. Read by the coordinator
  /// only.
  public var users: [String: UserSettings]?

  /// Everything at its default: a broker on this machine, as its user `guest`.
  public init() {}

  /// Everything at its default but the broker.
  ///
  /// - Parameter broker: `amqp://user:password@host:5672/vhost`; of a broker of several nodes with all their addresses,
  ///   separated by commas: `a:5672,b:5672`.
  /// - Throws: ``ConfigurationError`` when that is no broker's URL; the error does not repeat the URL.
  public init(broker: String) throws(ConfigurationError) {
    brokerURL = try TellerConfiguration.brokerURL(broker, from: "the broker's URL")
  }

  /// The broker's URL without its password, for logs and screens.
  public var broker: String { brokerURL.description }

  /// The ledger's path when nobody names one.
  public static let defaultLedger = "./teller.ledger"
  /// Long enough for the broker to notice a dead connection before the lease passes: more than three heartbeats.
  public static let defaultLease: Duration = .seconds(45)
  /// What `lease:` may say. A worker tells of itself every two seconds: less than twice that would be no silence.
  package static let leaseLimits: ClosedRange<Duration> = .seconds(5)...(.seconds(86_400))
  /// Ten minutes.
  public static let defaultPriorityWorth: Duration = .seconds(600)
  /// What `priority_worth:` may say: up to a year.
  package static let priorityWorthLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))
}
