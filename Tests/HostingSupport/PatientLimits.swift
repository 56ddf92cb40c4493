package import Hosting
import Synchronization
import TestSupport

extension ServiceLimits {
  /// Limits that no service of a test reaches only because the machine is busy: hundreds of tests share the processors, and
  /// a thread may get none of them for many seconds. A service that is told too late is never told at all.
  package static var patient: ServiceLimits {
    var limits = ServiceLimits()
    limits.start = StepLimit(each: patience, all: patience * 5)
    limits.stop = limits.start
    limits.lastCalls = patience
    return limits
  }
}

extension HostedServices {
  /// Adds a service that is to reach its limits, which the others have not: how long it may hold up the start, and the end.
  package func add(_ service: any HostedService, within limit: Duration) {
    let others = limits.withLock { limits in
      defer { (limits.start.each, limits.stop.each) = (limit, limit) }
      return limits
    }
    add(service)
    limits.withLock { $0 = others }
  }
}
