import Foundation
import Teller
import Testing

@testable import BankExample

@Suite("The exit codes of the bank")
struct ExitTests {
  @Test(
    "say who must act",
    arguments: [
      (TellerError.brokerUnavailable(reason: "x"), BankExit.broker), (TellerError.noCoordinatorEver, .noCoordinator),
      (TellerError.incomplete(submitted: 0, of: 2, reason: .brokerRefused(reason: "x")), .broker),
      (TellerError.timedOut(waitingFor: "x", limit: .zero), .timedOut), (TellerError.closed, .unexpected),
      (WorkerError.unknownDepartments(["x"]), .configuration), (WorkerError.noDepartments, .usage),
      (WorkerError.stoppedAtOnce(unfinished: 1), .interrupted),
      (WorkerError.broker(.brokerRefused(reason: "x")), .broker),
      (CancellationError(), .interrupted), (CocoaError(.fileNoSuchFile), .unexpected),
      (BankError.didNotOpen(JobFailure(code: "x", message: "y")), .notAsItShould),
    ] as [(any Error, BankExit)])
  func codes(error: any Error, code: BankExit) {
    #expect(BankExit(error) == code)
    #expect(BankExit.help.contains("\(code.rawValue) "))
  }
}
