import Foundation
import Testing

@testable import Ledger

@Suite("Descriptors of the ledger's process")
struct DescriptorTests {
  @Test("a file for which none is left is told as that, with what to do", arguments: [EMFILE, ENFILE])
  func none(code: CInt) {
    let error = LedgerError(opening: "a.ledger", code)
    guard case .tooFewDescriptors = error else {
      Issue.record("\(error)")
      return
    }
    #expect("\(error)".contains("raise the limit (LimitNOFILE="))
  }

  @Test(
    "a ledger and a connection are opened only where enough are left for the rest of the process",
    arguments: [TooFewDescriptors.ofConnection, TooFewDescriptors.ofLedger], [0, 5, 6, 7, 8, Int.max])
  func enough(needed: Int, left: Int) throws {
    let check = { () throws(TooFewDescriptors) in try TooFewDescriptors.check(needed: needed, left) }
    if left >= needed + 4 { return try check() }
    let error = try #require(throws: TooFewDescriptors.self, performing: check)
    let told = LedgerError(error, path: "a.ledger")
    #expect(told == .tooFewDescriptors(path: "a.ledger", left: left) && told.isTransient && told.isOfReading)
    #expect("\(told)".contains("a.ledger cannot be opened: file descriptors left: \(left); raise the limit"))
  }
}
