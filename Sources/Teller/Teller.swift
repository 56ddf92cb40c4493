// A user of the library imports Teller alone. Its interface also has JobModel's few public types.
@_exported public import JobModel
