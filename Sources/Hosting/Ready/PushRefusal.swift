/// An error of the sink of a ``PushReceiver`` that knows whether another try makes sense.
///
///     struct UnknownCustomer: PushRefusal { let isFinalRefusal = true }
///
/// After an error of another type a push is tried again.
public protocol PushRefusal: Error {
  /// Whether the same push would be refused again, however often it is tried.
  var isFinalRefusal: Bool { get }
}
