import AMQP
import TestSupport
import Testing

@testable import JobTransport

@Suite("Addresses of a broker of several nodes")
struct BrokerAddressesTests {
  private let unreachable = BrokerLoss.notOpened(.cannotConnect(host: "a", port: 1, reason: "refused"))
  private let dropped = BrokerLoss.connection(.connectionLost(reason: "gone"))

  private func addresses(_ hosts: String) throws -> BrokerAddresses {
    var random = SeededRandom(for: "addresses")
    return BrokerAddresses(try BrokerURL("amqp://\(hosts)"), using: &random)
  }

  @Test("after one that does not answer the next is asked at once, and after all of them there is a wait")
  func round() throws {
    var addresses = try addresses("a,b,c")
    for _ in 0..<3 {
      var asked: Set<String> = [addresses.current.host]
      #expect(addresses.lost(unreachable) == true)
      asked.insert(addresses.current.host)
      #expect(addresses.lost(unreachable) == true)
      asked.insert(addresses.current.host)
      #expect(asked == ["a", "b", "c"])
      #expect(addresses.lost(unreachable) == false)
    }
  }

  @Test("a node that is lost is left after the usual wait, and the others are asked before it is asked again")
  func lostNode() throws {
    var addresses = try addresses("a,b,c")
    addresses.opened()
    let first = addresses.current
    #expect(addresses.lost(dropped) == false)
    #expect(addresses.current != first)
    #expect(addresses.lost(unreachable) == true)
    #expect(addresses.current != first)
    #expect(addresses.lost(unreachable) == false)
    #expect(addresses.current == first)
  }

  @Test(
    "what one node refuses all refuse: it is asked again",
    arguments: [
      BrokerLoss.consumerCancelled(tag: "x"), .connection(.channelClosed(code: 406, text: "inequivalent arg")),
      .connection(.closed),
    ])
  func refused(_ loss: BrokerLoss) throws {
    var addresses = try addresses("a,b,c")
    let first = addresses.current
    #expect(addresses.lost(loss) == false)
    #expect(addresses.current == first)
  }

  @Test("one address is asked again and again, with all the time that it may take")
  func single() throws {
    var addresses = try addresses("a")
    for _ in 0..<5 {
      #expect(!addresses.hasOthers && addresses.current.host == "a")
      #expect(addresses.limit(atMost: .seconds(10)) == .seconds(10))
      #expect(addresses.lost(unreachable) == false)
    }
  }

  @Test("a node that says nothing is given little time as long as others may answer, and all of it afterwards")
  func limits() throws {
    var addresses = try addresses("a,b")
    #expect(addresses.limit(atMost: .seconds(10)) == BrokerAddresses.firstRoundLimit)
    #expect(addresses.limit(atMost: .seconds(1)) == .seconds(1))
    _ = addresses.lost(unreachable)
    #expect(addresses.limit(atMost: .seconds(10)) == BrokerAddresses.firstRoundLimit)
    _ = addresses.lost(unreachable)
    #expect(addresses.limit(atMost: .seconds(10)) == .seconds(10))
    addresses.opened()
    #expect(addresses.limit(atMost: .seconds(10)) == BrokerAddresses.firstRoundLimit)
  }

  @Test("processes begin at different ones")
  func spread() throws {
    var random = SeededRandom(for: "spread")
    let url = try BrokerURL("amqp://a,b,c")
    let first = (0..<200).map { _ in BrokerAddresses(url, using: &random).current.host }
    #expect(Set(first) == ["a", "b", "c"])
  }
}
