internal import CRabbitMQ
import Foundation

/// A status of the C library in words for people.
func describe(libraryStatus status: Int32) -> String {
  switch status {
  case AMQP_STATUS_HEARTBEAT_TIMEOUT.rawValue: "the broker sent nothing for two heartbeats"
  case AMQP_STATUS_CONNECTION_CLOSED.rawValue, AMQP_STATUS_SOCKET_CLOSED.rawValue: "the broker closed the socket"
  case AMQP_STATUS_SOCKET_ERROR.rawValue: "the socket failed"
  case AMQP_STATUS_TIMEOUT.rawValue: "no answer in time"
  case AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED.rawValue: "the host's name is not known"
  default: amqp_error_string2(status).map { String(cString: $0) } ?? "status \(status)"
  }
}

extension timeval {
  init(_ duration: Duration) {
    let microseconds = duration.microseconds
    self.init()
    tv_sec = time_t(microseconds / 1_000_000)
    tv_usec = suseconds_t(microseconds % 1_000_000)
  }
}
