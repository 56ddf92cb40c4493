import TestSupport
import Testing

/// The commands of the pages for the broker's administrator, run as they stand there on a real broker. Not here:
/// `import_definitions` and what runs inside of a container, which `Deploy/compose-test` plays.
@Suite("The pages' commands for the broker")
struct BrokerCommandsTests {
  @Test("every one of them is understood, and has its effect")
  func played() async throws {
    let broker = try await BrokerNode.shared
    // The virtual host and the user that the pages speak of.
    try await broker.ctl("add_vhost", "teller")
    try await broker.ctl("add_user", "guest", "guest")
    var played: Set<String> = []
    for block in Page.all.flatMap(\.blocks) where block.language == "sh" {
      for command in try await ShellCommands.found(in: block, of: ["rabbitmqctl"]) {
        try await broker.ctl(Array(command.dropFirst()))
        played.formUnion(command.dropFirst().prefix(1))
      }
    }
    #expect(
      played == ["add_vhost", "set_permissions", "set_policy", "list_policies", "list_operator_policies"])
    let policies = try await broker.ctl("list_policies", "--vhost", "teller")
    #expect(policies.contains(#"^teller\.notifications$"#) && policies.contains("134217728"), "\(policies)")
    let permissions = try await broker.ctl("list_permissions", "--vhost", "test")
    #expect(permissions.contains("guest"), "\(permissions)")
  }
}
