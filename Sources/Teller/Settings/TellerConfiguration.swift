package import AMQP
public import JobModel

/// The address of the broker, and the settings of the coordinator.
///
/// ``load(broker:ledger:file:environment:)`` looks for each setting in this order: a flag of the program, the environment
/// (`TELLER_BROKER_URL` or `TELLER_BROKER_URL_FILE`, `TELLER_BROKER_CA`, `TELLER_BROKER_CERTIFICATE`,
/// `TELLER_BROKER_KEY`, `TELLER_INSECURE`, `TELLER_LEDGER`, `TELLER_HEALTH`, `TELLER_CONFIG`), the file `teller.yaml`, the
/// default. Neither the description nor an error shows the broker's password.
public struct TellerConfiguration: Sendable, Hashable {
  /// The broker's address, user, password and virtual host.
  package var brokerURL = BrokerURL(host: "127.0.0.1")
  /// The file that `teller.yaml` names for the broker's URL, until it has been read.
  var brokerFile: String?
  /// Whether `amqp://`, which is not encrypted, may be used to another machine. Everyone on the way can then read the
  /// broker's password and all jobs: true only where the network is trusted. When it is false,
  /// ``TellerClient/connect(_:name:timeouts:logger:)`` and ``Worker/run()`` throw
  /// ``ConfigurationError/notEncrypted(host:)`` before they connect.
  public var allowsPlaintext = false
  /// The path of the coordinator's ledger file; a relative one begins at the working directory.
  public var ledger = TellerConfiguration.defaultLedger
  /// How long a worker may be silent before the coordinator takes its jobs back. Read by the coordinator only.
  public var lease = TellerConfiguration.defaultLease
  /// Where the coordinator answers `/health`, `/ready` and `/metrics`; nil: nowhere. Read by the coordinator only.
  public var health: HealthAddress?
  /// The departments that exist. Read by the coordinator only.
  public var departments: [Department: DepartmentSettings] = [:]
  /// The settings of the jobs of a kind. Read by the coordinator only.
  public var kinds: [JobKind: KindSettings] = [:]
  /// The schedules, by name. Read by the coordinator only.
  public var schedules: [String: ScheduleSettings] = [:]
  /// How long jobs that have ended are kept. Read by the coordinator only.
  public var retention = RetentionSettings()
  /// How much waiting one level of priority is worth. A job that has waited for this much longer than another counts as
  /// one level higher, so a job of low priority does not wait for ever. Read by the coordinator only.
  public var priorityWorth = TellerConfiguration.defaultPriorityWorth

  /// What each user of the broker may do, by name; nil: its permissions alone decide. Read by the coordinator only.
  public var users: [String: UserSettings]?

  /// The defaults: a broker on this machine, as its user `guest`.
  public init() {}

  /// The defaults, with another broker.
  ///
  /// - Parameter broker: `amqp://user:password@host:5672/vhost`; of several nodes each, with commas: `a:5672,b:5672`.
  /// - Throws: ``ConfigurationError`` when this is no broker's URL; the error does not repeat the URL.
  public init(broker: String) throws(ConfigurationError) {
    brokerURL = try TellerConfiguration.brokerURL(broker, from: "the broker's URL")
  }

  /// The broker's URL without its password, for logs and screens.
  public var broker: String { brokerURL.description }

  /// The default of ``ledger``.
  public static let defaultLedger = "./teller.ledger"
  /// The default of ``lease``: more than three heartbeats, so that the broker notices a dead connection before.
  public static let defaultLease: Duration = .seconds(45)
  /// What `lease:` may say. A worker sends its presence every two seconds: less than twice that would be no silence.
  package static let leaseLimits: ClosedRange<Duration> = .seconds(5)...(.seconds(86_400))
  /// The default of ``priorityWorth``: ten minutes.
  public static let defaultPriorityWorth: Duration = .seconds(600)
  /// What `priority_worth:` may say: up to a year.
  package static let priorityWorthLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(365 * 86_400))
}
