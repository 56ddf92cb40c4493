import AuditSupport
import Foundation
import TestSupport
import Testing

/// A broker of three nodes, in containers: `Deploy/cluster-test`.
extension FaultTests {
  @Suite(
    "of a node of a broker of three", .enabled(if: ProcessInfo.processInfo.environment["TELLER_TEST_CLUSTER"] == "1"))
  struct OfANode {
    @Test("nothing is lost, nothing has two outcomes, and nothing runs twice", .timeLimit(.minutes(18)))
    func nodesDie() async throws {
      let broker = try await BrokerNode.startCluster()
      let nodes = Fault(name: "broker of three nodes: kill -9 of its nodes") { stage in
        try await stage.startWorker()
        try await ClusterRounds(stage: stage).run()
      }
      try await Trial.run(nodes, on: broker)
      FaultTable.shared.showCounts()
      try await broker.close()
    }
  }
}
