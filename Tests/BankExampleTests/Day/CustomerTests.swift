import Teller
import Testing

@testable import BankExample

@Suite("Customers")
struct CustomerTests {
  private func customers(_ count: Int, seed: UInt64) -> [Customer] {
    var generator = SeededGenerator(seed: seed)
    return Customer.enter(count, using: &generator)
  }

  @Test("the same seed makes the same customers, and another seed others")
  func seed() {
    let businesses = customers(30, seed: 7).map(\.business)
    #expect(customers(30, seed: 7).map(\.business) == businesses)
    #expect((8..<20).contains { customers(30, seed: $0).map(\.business) != businesses })
  }

  @Test("customers are numbered from 1, and each is a job of its own")
  func numbers() {
    let customers = customers(30, seed: 7)
    #expect(customers.map(\.number) == Array(1...30))
    #expect(Set(customers.map(\.id)).count == 30)
  }

  @Test("both kinds of business occur")
  func businesses() {
    #expect(Set(customers(30, seed: 7).map(\.business)) == [.deposit, .loan])
  }

  @Test("the generator gives the published first numbers of its sequence")
  func sequence() {
    var generator = SeededGenerator(seed: 1_234_567)
    let numbers = (0..<3).map { _ in generator.next() }
    #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test("a customer's submission keeps the customer's id and takes its time from the pace")
  func submission() throws {
    let customer = Customer(id: JobID(), number: 3, business: .loan)
    let submission = try customer.submission(at: Pace(speed: 10))
    #expect(submission.id == customer.id)
    #expect(submission.kind == "loan")
    #expect(String(decoding: submission.payload, as: UTF8.self).contains("\"milliseconds\":110"))
  }

  @Test("the pace scales times, and never leaves its limits", arguments: [(1.0, 700), (10, 70), (0, 70_000)])
  func pace(speed: Double, milliseconds: Int) {
    #expect(Pace(speed: speed).milliseconds(.milliseconds(700)) == milliseconds)
  }
}
