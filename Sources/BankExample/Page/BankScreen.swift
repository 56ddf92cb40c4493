import CBankPage
import Foundation
import Teller
import TellerPage

/// The bank's screen on the page: who waits and who is served, a clock, and customers at the press of a button.
struct BankScreen: Sendable {
  let client: TellerClient
  let pace: Pace

  /// How many customers one press may bring.
  static let customerLimits = 1...100
  /// How many it brings unless the browser says otherwise.
  static let usualCustomers = 10

  /// The screen at `/bank`. Its scripts and its style are files of this program.
  var screen: PageScreen {
    var modules = BankScreen.files
    let (script, style) = (modules.removeValue(forKey: "bank.js"), modules.removeValue(forKey: "bank.css"))
    var screen = PageScreen(path: "bank", title: "Bank", script: script ?? [], style: style, modules: modules)
    screen.answer("settings") { _ in
      Settings(
        departments: Business.allCases.map(\.department), plan: Opening.plan, customers: BankScreen.usualCustomers)
    }
    screen.carryOut("add") { try await add($0) }
    return screen
  }

  /// What the screen has to know of this bank.
  private struct Settings: Encodable {
    let departments: [Department]
    let plan: PlanName
    let customers: Int
  }

  private struct Order: Decodable {
    let customers: Int
  }

  /// The customers who came in.
  struct Arrival: Encodable, Sendable {
    let customers: [JobID]
  }

  /// Customers come in. Their ids, and what they want, follow from the form that was sent: a button that was pressed three
  /// times sends one form, and brings its customers once.
  private func add(_ action: PageAction) async throws -> Arrival {
    let count = try action.body(as: Order.self).customers
    guard BankScreen.customerLimits.contains(count) else {
      throw PageRefusal(
        code: "invalid",
        message: "let \(BankScreen.customerLimits.lowerBound)–\(BankScreen.customerLimits.upperBound) customers come")
    }
    var generator = SeededGenerator(seed: seed(of: action.form))
    let customers = (1...count).map { number in
      Customer(
        id: action.id("customer \(number)"), number: number,
        business: Bool.random(using: &generator) ? .deposit : .loan)
    }
    let handles = try await client.submit(contentsOf: try customers.map { try $0.submission(at: pace) })
    for handle in handles { try await handle.accepted() }
    return Arrival(customers: customers.map(\.id))
  }

  private func seed(of form: UUID) -> UInt64 {
    withUnsafeBytes(of: form.uuid) { $0.loadUnaligned(as: UInt64.self) }
  }

  /// The files for browsers, by their names.
  static let files: [String: [UInt8]] = {
    var files: [String: [UInt8]] = [:]
    while case let file = bank_file_at(files.count), let name = file.name {
      files[String(cString: name)] = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
    return files
  }()
}
