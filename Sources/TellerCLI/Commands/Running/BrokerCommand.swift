import AMQP
import ArgumentParser
import CoordinatorSettings
import JobModel
import JobTransport
import Teller

struct BrokerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "broker",
    abstract: "Gives a virtual host of the broker to another ledger.",
    discussion: "EXAMPLE: teller broker hand-over 01890a5d-ac96-774b-bcce-b302099a8057",
    subcommands: [HandOverCommand.self])
}

struct HandOverCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hand-over",
    abstract: "Makes the broker's virtual host that of another ledger.",
    discussion: """
      A virtual host belongs to one ledger: the coordinator that comes first claims it. A coordinator with another ledger \
      ends with 78, and names both ledgers. This command moves the claim.

      The coordinator of the former ledger stops serving within seconds. What it has released, and what its workers run, \
      is unknown to the other ledger: their reports are refused. So drain the workers first, or keep the former ledger.

      A restored copy of a ledger keeps its id, and needs no hand-over. The command needs the broker's user of the \
      coordinator.

      The command names the former ledger, and asks. Any answer but yes changes nothing and exits with 2. With --yes it \
      does not ask; without --yes and without a terminal it exits with 64. A virtual host that belongs to no ledger yet is \
      claimed without a question.

      With --json one object: {"ledger", "before" (the former ledger; missing when there was none, or the same)}.

      EXAMPLE: teller broker hand-over 01890a5d-ac96-774b-bcce-b302099a8057
      """
  )

  @Argument(
    help: ArgumentHelp(
      "The id of the ledger that gets the virtual host. Its coordinator names it; so does `teller ledger check`."))
  var ledger: String

  @Flag(name: .shortAndLong, help: "Do not ask for a confirmation. Needed without a terminal.")
  var yes = false

  @Flag(name: .shortAndLong, help: "Print one JSON object.")
  var json = false

  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard JobID(ledger) != nil else { throw ValidationError("\"\(ledger)\" is not the id of a ledger.") }
  }

  func run() async throws {
    let new = LedgerID(ledger)
    let settings = try global.connectionSettings()
    try settings.checkEncryption()
    let open = {
      try await Connection.open(anyOf: settings.brokerURL, ConnectionOptions(name: "teller broker")).0
    }
    do {
      guard let foreign = try await LedgerClaim.declare(for: new, open) else { return try show(new, before: nil) }
      try await ask(foreign)
      _ = try await LedgerClaim.handOver(to: new, open)
      try show(new, before: foreign.owner)
    } catch let error as AMQPError {
      throw Failure(ofHandOver: error) ?? error
    }
  }

  private func ask(_ foreign: ForeignClaim) async throws {
    if yes { return }
    guard TerminalSize.canAsk else {
      throw Failure(.usage, "there is no terminal to ask on: add --yes to do it without asking")
    }
    try await ConfirmationOptions.ask(
      "Give the virtual host of ledger \(foreign.owner?.text ?? "(unknown)") to ledger \(foreign.ledger)? "
        + "The coordinator of the former stops serving.")
  }

  private func show(_ ledger: LedgerID, before: LedgerID?) throws {
    if json { return try Output.json(HandedOver(ledger: ledger.text, before: before?.text)) }
    let former = before.map { "; before, of ledger \($0)" } ?? ""
    Output.line("the virtual host belongs to ledger \(ledger)\(former)")
  }

  private struct HandedOver: Encodable {
    let ledger: String
    let before: String?
  }
}

extension Failure {
  /// The failures with a meaning of their own here; nil for another error.
  fileprivate init?(ofHandOver error: AMQPError) {
    guard case .channelClosed(AMQPError.accessRefusedCode, let text) = error else { return nil }
    self.init(
      .brokerUnavailable, "the broker refuses a call of this user: \(text); use the broker's user of the coordinator")
  }
}
