import Testing

@testable import Ledger

@Suite("Descriptors of the ledger's process")
struct DescriptorTests {
  @Test("a connection is opened only where enough are left for the rest of the process", arguments: [0, 5, 6, Int.max])
  func enough(left: Int) throws {
    let check = { () throws(TooFewDescriptors) in try TooFewDescriptors.check(left) }
    if left >= 6 { return try check() }
    let error = try #require(throws: TooFewDescriptors.self, performing: check)
    let told = LedgerError(error, path: "a.ledger")
    #expect(told == .tooFewDescriptors(path: "a.ledger", left: left) && told.isTransient && told.isOfReading)
    #expect("\(told)".contains("a.ledger cannot be opened: \(left) file descriptors are left; raise the limit"))
  }
}
