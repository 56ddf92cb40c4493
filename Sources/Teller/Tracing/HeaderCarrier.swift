import Tracing

/// Has a tracer write into, and read from, the headers that go with a job.
struct HeaderCarrier: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }

  func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
}
