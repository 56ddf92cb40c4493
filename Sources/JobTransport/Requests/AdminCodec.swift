package import AMQP
package import Foundation
package import JobModel

/// Commands as messages of `teller.admin`, which only operators may send; in all else they are like requests.
package enum AdminCodec {
  private enum MessageType: String, CaseIterable {
    case cancel, replay, drop, reset, pause, resume, resize, rerank, drain
    case freeKey = "free_key"
    case resetKeys = "reset_keys"
    case acceptRestored = "accept_restored"
    case dropRestored = "drop_restored"
    case stopPlan = "stop_plan"
    case forgetSubscriber = "forget_subscriber"
    case payload, note
  }

  /// Whether a command has that word: no other action may have it.
  static func isWord(_ word: String) -> Bool { MessageType(rawValue: word) != nil }

  fileprivate static func word(of request: AdminRequest) -> String { content(request).type.rawValue }

  private static let mailbox = Mailbox(
    exchange: Topology.Exchange.admin, queue: Topology.Queue.admin, types: MessageType.allCases.map(\.rawValue))

  /// The message of a command, to be published with a confirm. `expiration`: how long it may wait for a coordinator; no
  /// longer than its sender waits for the answer. `command`: its id; one that is sent again keeps it, and is carried
  /// out once. `by`: who gives the command, to be recorded.
  package static func encode(
    _ request: AdminRequest, address: AnswerAddress, expiration: Duration, command: UUID? = nil, by: OperatorName? = nil
  ) -> Publishing {
    let (type, body) = content(request)
    var message = mailbox.publishing(
      type.rawValue, body: body, address: address, expiration: expiration,
      messageID: command?.uuidString.lowercased())
    if let by { message.properties.headers[Header.by] = .string(by.name) }
    return message
  }

  /// Who gave a command that was read: by its header, and by the broker.
  package static func author(of delivery: Delivery) -> CommandAuthor {
    let by = (try? HeaderReader(delivery.properties).text(Header.by)) ?? nil
    return CommandAuthor(by: by.flatMap(OperatorName.init), user: delivery.properties.userID)
  }

  /// The command's id; nil for a command that its sender sends only once.
  package static func command(of delivery: Delivery) -> UUID? {
    delivery.properties.messageID.flatMap(UUID.init(uuidString:))
  }

  /// Reads a message of `teller.admin`. Never fails.
  package static func decode(_ delivery: Delivery) -> MailboxMessage<AdminRequest> {
    mailbox.decode(delivery) { type, body throws(Unreadable) in
      // Refused, since its sender believes that the coordinator knows the command by its id when it comes again.
      if let text = delivery.properties.messageID, command(of: delivery) == nil {
        throw Unreadable("message_id \(Excerpt.quoted(text)) is not a UUID")
      }
      try checkAuthor(delivery)
      guard let request = try request(type.flatMap(MessageType.init), body) else { return nil }
      if let problem = request.problem { throw Unreadable(problem) }
      return request
    }
  }

  /// A name that cannot be recorded is refused: its sender believes that it is.
  private static func checkAuthor(_ delivery: Delivery) throws(Unreadable) {
    do throws(HeaderProblem) {
      _ = try HeaderReader(delivery.properties).value(
        Header.by, expected: "a name of \(OperatorName.form)", of: OperatorName.init)
    } catch {
      throw Unreadable(error.description)
    }
  }

  private static func content(_ request: AdminRequest) -> (type: MessageType, body: [UInt8]) {
    switch request {
    case .cancel(let selection): (.cancel, WireJSON.encodePlain(selection))
    case .replay(let selection): (.replay, WireJSON.encodePlain(selection))
    case .drop(let selection): (.drop, WireJSON.encodePlain(selection))
    case .acceptRestored(let selection): (.acceptRestored, WireJSON.encodePlain(selection))
    case .dropRestored(let selection): (.dropRestored, WireJSON.encodePlain(selection))
    case .reset: (.reset, Array("{}".utf8))
    case .pause(let department): (.pause, WireJSON.encodePlain(PauseOrder(department: department)))
    case .resume(let department): (.resume, WireJSON.encodePlain(PauseOrder(department: department)))
    case .resize(let order): (.resize, WireJSON.encodePlain(order))
    case .rerank(let order): (.rerank, WireJSON.encodePlain(order))
    case .freeKey(let order): (.freeKey, WireJSON.encodePlain(order))
    case .resetKeys(let order): (.resetKeys, WireJSON.encodePlain(order))
    case .drainWorker(let order): (.drain, WireJSON.encodePlain(order))
    case .stopPlan(let order): (.stopPlan, WireJSON.encodePlain(order))
    case .forgetSubscriber(let name): (.forgetSubscriber, WireJSON.encodePlain(SubscriberReference(name: name)))
    case .payload(let id): (.payload, WireJSON.encodePlain(IDQuery(id: id)))
    case .note(let note): (.note, WireJSON.encodePlain(note))
    }
  }

  private static func request(_ type: MessageType?, _ body: Delivery.Body) throws(Unreadable) -> AdminRequest? {
    switch type {
    case .cancel: return .cancel(try Mailbox.read(body))
    case .replay: return .replay(try Mailbox.read(body))
    case .drop: return .drop(try Mailbox.read(body))
    case .acceptRestored: return .acceptRestored(try Mailbox.read(body))
    case .dropRestored: return .dropRestored(try Mailbox.read(body))
    case .reset:
      try Mailbox.readNothing(body)
      return .reset
    case .pause: return .pause(try Mailbox.read(body, as: PauseOrder.self).department)
    case .resume: return .resume(try Mailbox.read(body, as: PauseOrder.self).department)
    case .resize: return .resize(try Mailbox.read(body))
    case .rerank: return .rerank(try Mailbox.read(body))
    case .freeKey: return .freeKey(try Mailbox.read(body))
    case .resetKeys: return .resetKeys(try Mailbox.read(body))
    case .drain: return .drainWorker(try Mailbox.read(body))
    case .stopPlan: return .stopPlan(try Mailbox.read(body))
    case .forgetSubscriber: return .forgetSubscriber(try Mailbox.read(body, as: SubscriberReference.self).name)
    case .payload: return .payload(try Mailbox.read(body, as: IDQuery.self).id)
    case .note: return .note(try Mailbox.read(body))
    case nil: return nil
    }
  }
}

extension AdminRequest {
  /// The type of the command's message, by which it is recorded, too.
  package var word: String { AdminCodec.word(of: self) }
}
