internal import CProcess

/// Whether the process was told to pass over a signal, as `nohup` does with SIGHUP.
package func ignores(_ signal: Int32) -> Bool { teller_ignores_signal(signal) != 0 }
