package import AMQP
package import JobModel

/// Requests as messages of `teller.requests`, which anyone may send.
package enum RequestCodec {
  private enum MessageType: String, CaseIterable {
    case status, board, jobs, failures, count, show, wait, explain, report, operation, workers, schedules, keys, key,
      actions, plans, plan, events, event, subscriber, subscribers
    case keepPlace = "keep_place"
  }

  private static let mailbox = Mailbox(
    exchange: Topology.Exchange.requests, queue: Topology.Queue.requests, types: MessageType.allCases.map(\.rawValue))

  /// The message of a request, to be published with a confirm. `expiration`: how long it may wait for a coordinator; no
  /// longer than its sender waits for the answer.
  package static func encode(_ request: Request, address: AnswerAddress, expiration: Duration) -> Publishing {
    let (type, body) = content(request)
    return mailbox.publishing(type.rawValue, body: body, address: address, expiration: expiration)
  }

  /// Reads a message of `teller.requests`. Never fails.
  package static func decode(_ delivery: Delivery) -> MailboxMessage<Request> {
    mailbox.decode(delivery) { type, body throws(Unreadable) in
      guard let request = try request(type.flatMap(MessageType.init), body) else { return nil }
      if let problem = request.problem { throw Unreadable(problem) }
      return request
    }
  }

  private static func content(_ request: Request) -> (type: MessageType, body: [UInt8]) {
    switch request {
    case .status: (.status, Array("{}".utf8))
    case .board(let query): (.board, WireJSON.encodePlain(query))
    case .jobs(let query): (.jobs, WireJSON.encodePlain(query))
    case .failures(let query): (.failures, WireJSON.encodePlain(query))
    case .count(let query): (.count, WireJSON.encodePlain(query))
    case .show(let id): (.show, WireJSON.encodePlain(IDQuery(id: id)))
    case .wait(let query): (.wait, WireJSON.encodePlain(query))
    case .explain(let id): (.explain, WireJSON.encodePlain(IDQuery(id: id)))
    case .report(let query): (.report, WireJSON.encodePlain(query))
    case .operation(let id): (.operation, WireJSON.encodePlain(IDQuery(id: id)))
    case .workers(let query): (.workers, WireJSON.encodePlain(query))
    case .schedules(let query): (.schedules, WireJSON.encodePlain(query))
    case .keys(let query): (.keys, WireJSON.encodePlain(query))
    case .key(let query): (.key, WireJSON.encodePlain(query))
    case .actions(let query): (.actions, WireJSON.encodePlain(query))
    case .plans(let query): (.plans, WireJSON.encodePlain(query))
    case .plan(let plan): (.plan, WireJSON.encodePlain(PlanReference(plan: plan)))
    case .events(let query): (.events, WireJSON.encodePlain(query))
    case .event(let id): (.event, WireJSON.encodePlain(IDQuery(id: id)))
    case .subscriber(let name): (.subscriber, WireJSON.encodePlain(SubscriberReference(name: name)))
    case .subscribers(let query): (.subscribers, WireJSON.encodePlain(query))
    case .keepPlace(let order): (.keepPlace, WireJSON.encodePlain(order))
    }
  }

  private static func request(_ type: MessageType?, _ body: Delivery.Body) throws(Unreadable) -> Request? {
    switch type {
    case .status: .status
    case .board: .board(try Mailbox.read(body))
    case .jobs: .jobs(try Mailbox.read(body))
    case .failures: .failures(try Mailbox.read(body))
    case .count: .count(try Mailbox.read(body))
    case .show: .show(try Mailbox.read(body, as: IDQuery.self).id)
    case .wait: .wait(try Mailbox.read(body))
    case .explain: .explain(try Mailbox.read(body, as: IDQuery.self).id)
    case .report: .report(try Mailbox.read(body))
    case .operation: .operation(try Mailbox.read(body, as: IDQuery.self).id)
    case .workers: .workers(try Mailbox.read(body))
    case .schedules: .schedules(try Mailbox.read(body))
    case .keys: .keys(try Mailbox.read(body))
    case .key: .key(try Mailbox.read(body))
    case .actions: .actions(try Mailbox.read(body))
    case .plans: .plans(try Mailbox.read(body))
    case .plan: .plan(try Mailbox.read(body, as: PlanReference.self).plan)
    case .events: .events(try Mailbox.read(body))
    case .event: .event(try Mailbox.read(body, as: IDQuery.self).id)
    case .subscriber: .subscriber(try Mailbox.read(body, as: SubscriberReference.self).name)
    case .subscribers: .subscribers(try Mailbox.read(body))
    case .keepPlace: .keepPlace(try Mailbox.read(body))
    case nil: nil
    }
  }
}
