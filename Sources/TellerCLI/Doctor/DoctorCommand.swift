import ArgumentParser
import CoordinatorSettings
import Foundation
import JobModel

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Looks for what is wrong with the broker, this machine, the ledger and the settings.",
    discussion: """
      The command connects as a coordinator of this machine would, with the same settings. It says one line for each thing \
      that it has looked at, in this order:

        broker         it is there, lets the user in, and takes messages
        permissions    the user may do what its role needs (see --role),
                       and no queue for that is down
        versions       of RabbitMQ, of this program and of the coordinator
        policies       none takes away what Teller relies on (see --management)
        coordinator    one answers, no department is out, and none has
                       only stuck tellers
        clock          it agrees with the broker's (--management), and the
                       ledger's
        disk           the ledger's disk has room; the broker's too
                       (--management)
        descriptors    the process may open enough files
        ledger         the file can be read and written, and the broker's
                       virtual host is that of this ledger
        configuration  as `teller config check`

      Each line begins with ok, note or wrong. A line with wrong says what to do. The exit code is 3 when there is one. A note \
      is no reason to act: something could not be looked at, or is not there yet.

      Nothing is changed. To try a permission, the command asks for something that the broker refuses for another reason: \
      the broker's log has a line for each of these.

      --management is the address of RabbitMQ's management API. Its user is that of the broker's URL unless the address \
      names one, and needs the tag `monitoring`. An address with a password belongs into TELLER_MANAGEMENT_URL.

      With --role worker, submitting-worker, producer, operator or monitor the command looks at the broker as a process \
      with that role meets it. It leaves out the ledger, its disk and the configuration.

      With --json one object a line: {"area", "state" (ok, note or wrong), "text", "cure" (left out when there is none)}.

      EXAMPLE: teller doctor --management http://127.0.0.1:15672
      """
  )

  @Option(
    help: ArgumentHelp(
      "The role of the broker's user: \(BrokerRole.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "role"))
  var role = BrokerRole.coordinator

  @Option(help: ArgumentHelp("The address of RabbitMQ's management API.", valueName: "url"))
  var management: String?

  @Option(
    help: ArgumentHelp("The ledger file. (default: that of the coordinator's settings)", valueName: "file"),
    completion: .file())
  var ledger: String?

  @Flag(name: .shortAndLong, help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if let management, ManagementAddress(management)?.password != nil {
      throw ValidationError(
        "--management holds a password, and arguments can be seen by every user of this machine: "
          + "set TELLER_MANAGEMENT_URL in the environment instead")
    }
  }

  func run() async throws {
    let address = try managementAddress()
    let examination = Examination(
      role: role, settings: Result(catchingWrong: loadSettings),
      connection: Result(catchingWrong: { () throws(WrongSettings) in
        try ProcessSettings.connection(broker: global.broker, file: global.config, isPlaintextAllowed: global.insecure)
      }), management: address)
    let findings = await examination.findings()
    for finding in findings { json ? try Output.json(finding) : Output.line(finding.line) }
    guard !findings.contains(where: { $0.state == .wrong }) else { throw Failure(.notReady) }
  }

  private func loadSettings() throws(WrongSettings) -> ProcessSettings {
    try ProcessSettings.load(
      broker: global.broker, ledger: ledger, file: global.config, isPlaintextAllowed: global.insecure,
      isForCoordinator: true)
  }

  private func managementAddress() throws -> ManagementAddress? {
    guard let text = management ?? ProcessInfo.processInfo.environment["TELLER_MANAGEMENT_URL"], !text.isEmpty else {
      return nil
    }
    guard let address = ManagementAddress(text) else {
      throw Failure(
        .configuration, "the address of the management API is not http://HOST:PORT or https://HOST:PORT")
    }
    return address
  }
}

/// Whose rights are tried.
enum BrokerRole: String, CaseIterable, ExpressibleByArgument {
  case coordinator, worker
  case submittingWorker = "submitting-worker"
  case producer
  case `operator`, monitor

  /// Its name among `users:`; nil: the coordinator is none of these.
  var user: UserRole? { UserRole(rawValue: rawValue) }
}

extension Result where Failure == WrongSettings {
  fileprivate init(catchingWrong body: () throws(WrongSettings) -> Success) {
    do throws(WrongSettings) { self = .success(try body()) } catch { self = .failure(error) }
  }
}
