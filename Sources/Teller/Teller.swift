// A user of the library imports Teller alone. Its interface also has JobModel's few public types, and the services of a
// host, which a coordinator has, too.
@_exported public import Hosting
@_exported public import JobModel
