import ArgumentParser

/// A bank on Teller, to be copied: its handlers, its worker, and a day at its counters.
@main
struct Bank: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bank",
    abstract: "A bank whose customers are jobs.",
    discussion: """
      Start a coordinator with the bank's departments, then tellers, then the day:

        teller coordinator --config Sources/BankExample/teller.yaml
        bank worker --department init=1 --department deposit=2 --department loan=1
        bank day --customers 30 --seed 7

      Or watch the bank in a browser, and let customers come at the press of a button:

        bank page

      The broker's URL comes from TELLER_BROKER_URL, or from the file that TELLER_BROKER_URL_FILE names; for amqps:// \
      there are TELLER_BROKER_CA, TELLER_BROKER_CERTIFICATE and TELLER_BROKER_KEY.

      \(BankExit.help)
      """,
    subcommands: [WorkerCommand.self, DayCommand.self, PageCommand.self]
  )
}
