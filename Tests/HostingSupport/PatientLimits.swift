package import Hosting
import TestSupport

extension ServiceLimits {
  /// Limits that no service of a test reaches only because the machine is busy: hundreds of tests share the processors, and
  /// a thread may get none of them for many seconds. A service that is told too late is never told at all.
  package static var patient: ServiceLimits {
    var limits = ServiceLimits()
    limits.start = StepLimit(each: patience, all: patience * 3)
    limits.stop = limits.start
    limits.lastCalls = patience
    return limits
  }
}
