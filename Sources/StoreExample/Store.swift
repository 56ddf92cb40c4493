import ArgumentParser

/// A store on Teller, to be copied: its handlers, its worker, a shop over HTTP to play with, and a day in it.
@main
struct Store: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "A shop whose sections, pictures and orders are jobs.",
    discussion: """
      Start a coordinator with the store's departments, then the day, which brings a shop and a worker of its own:

        teller coordinator --config Sources/StoreExample/teller.yaml
        store day

      Or each part by itself:

        store serve --port 8090
        store worker --shop http://127.0.0.1:8090 --department shop=2 --department orders=1
        store day --shop http://127.0.0.1:8090
        store order A-17 --line tea-1=2 --line cakes-2=1

      The broker's URL comes from TELLER_BROKER_URL, or from the file that TELLER_BROKER_URL_FILE names; for amqps:// \
      there are TELLER_BROKER_CA, TELLER_BROKER_CERTIFICATE and TELLER_BROKER_KEY.

      \(StoreExit.help)
      """,
    subcommands: [DayCommand.self, WorkerCommand.self, OrderCommand.self, ServeCommand.self]
  )
}
