import Hosting
import JobModel
import JobTransport
import Logging

/// Tells the services of a client of the events that plans receive: by the notification stream, which is read only if there
/// is a service.
extension ClientCore {
  func tellServicesOfEvents() async {
    guard (try? await hasServices.value) != nil else { return }
    var backOff = BackOff.resending
    while !Task.isCancelled {
      await tellServicesOfEvents(by: EventReader(self, since: .now))
      try? await Task.sleep(for: backOff.next())
    }
  }

  /// Until the stream cannot be read on, or the client has ended.
  private func tellServicesOfEvents(by reader: EventReader) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await reader.run() }
      do {
        try await reader.ready.value
        await tellServicesOfAnnounced()
        while true {
          let event = try await reader.buffer.next()
          if let status = EventStatus(event) { services.received(status) }
        }
      } catch is CancellationError {
        // The client has ended.
      } catch {
        logger.warning("the client's services are not told of the events of plans", metadata: ["reason": "\(error)"])
      }
      group.cancelAll()
    }
  }
}

extension ClientCore {
  /// What was announced before somebody listened still waits for somebody to accept it.
  private func tellServicesOfAnnounced() async {
    do {
      var query = EventQuery(state: .announced, limit: EventQuery.limits.upperBound)
      repeat {
        let page: EventPage = try await ask(.events(query))
        for event in page.events { services.received(event) }
        query.before = page.next
      } while query.before != nil
    } catch {
      logger.notice("the client's services are not told of earlier announcements", metadata: ["reason": "\(error)"])
    }
  }
}

extension EventStatus {
  /// Nil: the stream tells something else.
  fileprivate init?(_ event: JobEvent) {
    guard case .received(let state) = event.change, let job = event.job, let kind = event.kind,
      let department = event.department, let plan = event.plan,
      let name = event.name.flatMap({ EventName($0) })
    else { return nil }
    self.init(
      id: job, name: name, plan: plan, state: state, department: department, kind: kind,
      receivedAt: Timestamp(event.at), decidedAt: nil)
  }
}
