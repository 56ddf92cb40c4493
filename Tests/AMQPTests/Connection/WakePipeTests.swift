import Testing

@testable import AMQP

@Suite("Wake pipes")
struct WakePipeTests {
  @Test("both ends are closed when nobody holds the pipe any more")
  func closes() throws {
    let target = try targetOfOpenPipe()
    let ends = try OpenDescriptors.targets().filter { $0 == target }
    #expect(ends.isEmpty)
  }

  private func targetOfOpenPipe() throws -> String {
    let pipe = try #require(WakePipe())
    let target = try OpenDescriptors.target(of: pipe.readDescriptor)
    let ends = try OpenDescriptors.targets().filter { $0 == target }
    #expect(ends.count == 2)
    withExtendedLifetime(pipe) {}
    return target
  }
}
