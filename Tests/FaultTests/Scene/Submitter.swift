import Foundation
import JobModel
import Synchronization
import Teller
import TestSupport

/// Submits jobs of every sort one after the other for as long as it runs, whatever happens meanwhile, and asks now and then
/// about one of them.
final class Submitter: Sendable {
  /// How many jobs may be without their last answer; then it waits for one.
  static let mostOpen = 400
  /// Of so many jobs one is asked about while it is on its way.
  static let asksAboutEach = 10

  private let customers: [Customers]
  private let load: Load
  private let pace: Duration
  private let isStopped = Mutex(false)
  private let running = Mutex<Task<Void, Never>?>(nil)

  /// One whose jobs come from the customers in turn, and go to the departments in turn.
  init(_ customers: [Customers], departments: [Department], pace: Duration) {
    self.customers = customers
    load = Load(departments: departments)
    self.pace = pace
  }

  func start() { running.withLock { $0 = Task { await run() } } }

  /// No new jobs from now on.
  func stop() { isStopped.withLock { $0 = true } }

  /// Who still waits for an answer waits no more.
  func close() async {
    stop()
    let task = running.withLock { $0 }
    task?.cancel()
    await task?.value
  }

  private func run() async {
    await withTaskGroup(of: Void.self) { group in
      var (number, open) = (0, 0)
      while !isStopped.withLock({ $0 }), !Task.isCancelled {
        if open >= Submitter.mostOpen, await group.next() != nil { open -= 1 }
        let errand = load.errand(number)
        let submission = errand.submission
        let customers = customers[(number + number / Load.round) % customers.count]
        let asksAboutIt = number % Submitter.asksAboutEach == 0
        group.addTask {
          async let answered: Void = customers.run(errand)
          if asksAboutIt { await customers.show(submission.id) }
          await answered
          if asksAboutIt { await customers.show(submission.id) }
        }
        (number, open) = (number + 1, open + 1)
        try? await Task.sleep(for: pace)
      }
    }
  }
}
