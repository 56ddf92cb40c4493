import Hummingbird
import NIOCore

/// A request's connection.
struct PageContext: InitializableFromSource, Sendable {
  let channel: any Channel

  init(source: ApplicationRequestContextSource) { channel = source.channel }
}
