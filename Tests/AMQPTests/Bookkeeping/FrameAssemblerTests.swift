import Testing

@testable import AMQP

@Suite("Frame assembly")
struct FrameAssemblerTests {
  private let head = MessageHead.delivery(
    DeliveryHead(consumerTag: "c", deliveryTag: 7, isRedelivered: false, exchange: "e", routingKey: "k"))
  private let properties = MessageProperties(messageID: "id")

  @Test("a message is complete with the last of its body frames")
  func assembles() throws {
    var assembler = FrameAssembler(bodyLimit: 100)
    try assembler.begin(head)
    #expect(try assembler.header(properties, bodySize: 5) == nil)
    #expect(try feed(&assembler, [1, 2, 3]) == nil)
    let message = try feed(&assembler, [4, 5])
    #expect(message == AssembledMessage(head: head, properties: properties, body: .bytes([1, 2, 3, 4, 5])))
  }

  @Test("an empty message is complete with its header")
  func assemblesEmpty() throws {
    var assembler = FrameAssembler(bodyLimit: 100)
    try assembler.begin(head)
    let message = try assembler.header(properties, bodySize: 0)
    #expect(message?.body == .bytes([]))
    try assembler.begin(head)
  }

  @Test("a body at the limit is read and one above it is skipped, and the next message is read")
  func skipsLargeBodies() throws {
    var assembler = FrameAssembler(bodyLimit: 3)
    try assembler.begin(head)
    #expect(try assembler.header(properties, bodySize: 3) == nil)
    #expect(try feed(&assembler, [1, 2, 3])?.body == .bytes([1, 2, 3]))
    try assembler.begin(head)
    #expect(try assembler.header(properties, bodySize: 4) == nil)
    #expect(try feed(&assembler, [1, 2, 3]) == nil)
    let large = try feed(&assembler, [4])
    #expect(large?.body == .overLimit(declaredSize: 4))
    #expect(large?.beginning == [1, 2, 3, 4], "its beginning says whose it is")
    try assembler.begin(head)
    #expect(try assembler.header(properties, bodySize: 1) == nil)
    #expect(try feed(&assembler, [9])?.body == .bytes([9]))
  }

  @Test("of a body over the limit no more than its beginning is kept, in however many frames it comes")
  func keepsBeginning() throws {
    for frame in [1, 100, 511, 512, 513, 2_000] {
      var assembler = FrameAssembler(bodyLimit: 3)
      try assembler.begin(head)
      let body = (0..<2_000).map { UInt8(truncatingIfNeeded: $0) }
      var message = try assembler.header(properties, bodySize: UInt64(body.count))
      for start in stride(from: 0, to: body.count, by: frame) {
        message = try feed(&assembler, Array(body[start..<min(body.count, start + frame)]))
      }
      #expect(message?.beginning == Array(body.prefix(Delivery.beginningLimit)))
    }
  }

  @Test("an absurd announced size allocates nothing and breaks nothing")
  func survivesAbsurdSizes() throws {
    var assembler = FrameAssembler(bodyLimit: 1 << 20)
    try assembler.begin(head)
    #expect(try assembler.header(properties, bodySize: .max) == nil)
    #expect(try feed(&assembler, [1, 2, 3]) == nil)
  }

  @Test("frames in the wrong place are refused")
  func refusesWrongOrder() throws {
    var assembler = FrameAssembler(bodyLimit: 10)
    #expect(throws: FrameAssembler.UnexpectedFrame.self) { try assembler.header(properties, bodySize: 1) }
    #expect(throws: FrameAssembler.UnexpectedFrame.self) { try feed(&assembler, [1]) }
    try assembler.begin(head)
    #expect(throws: FrameAssembler.UnexpectedFrame.self) { try assembler.begin(head) }
    #expect(try assembler.header(properties, bodySize: 2) == nil)
    #expect(throws: FrameAssembler.UnexpectedFrame.self) { try feed(&assembler, [1, 2, 3]) }
  }

  private func feed(_ assembler: inout FrameAssembler, _ bytes: [UInt8]) throws -> AssembledMessage? {
    try bytes.withUnsafeBytes { try assembler.body($0) }
  }
}
