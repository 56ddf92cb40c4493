import AMQP
import JobModel
import Testing

@testable import JobTransport

@Suite("What is recorded of rejected messages")
struct HandledMessagesTests {
  private func message(_ id: String) -> RejectedMessage {
    var message = RejectedMessage(Deliveries.make(MessageProperties(), .bytes([])))
    message.id = id
    return message
  }

  private func id(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  @Test("is nothing where nothing was done")
  func nothing() {
    let handled = HandledMessages()
    handled.add([PutBackEnd(message: message(id(1)), obstacle: .notAllowed(user: nil))])
    #expect(handled.note(.putBack) == nil)
  }

  @Test("is how many were put back or dropped, and the first ones by their ids")
  func ids() {
    let handled = HandledMessages()
    handled.add([
      PutBackEnd(message: message(id(1)), obstacle: nil),
      PutBackEnd(message: message(id(2)), obstacle: .queueIsFull("teller.submit")),
    ])
    #expect(handled.note(.putBack) == ActionNote("put_back", name: id(1), detail: "1 message"))
    #expect(handled.note(.putBack, asMine: true)?.detail == "1 message, as mine")
    handled.add([message(id(3))])
    #expect(
      handled.note(.dropRejected) == ActionNote("drop_rejected", name: "\(id(1)), \(id(3))", detail: "2 messages"))
  }

  @Test("can be recorded, however many there are")
  func many() throws {
    let handled = HandledMessages()
    handled.add((1...RejectedQueue.mostMessages).map { message(id($0)) })
    let note = try #require(handled.note(.dropRejected))
    #expect(note.problem == nil && note.name?.hasSuffix("\(id(5)) and 9995 more") == true, "\(note)")
    #expect(note.detail == "10000 messages")
  }
}
