internal import CProcess

/// Whether the process ignores a signal, as it ignores SIGHUP when it was started with `nohup`.
package func ignores(_ signal: Int32) -> Bool { teller_ignores_signal(signal) != 0 }
