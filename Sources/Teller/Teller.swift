// A user of the library imports Teller alone: what it says of jobs is said in JobModel's few public values.
@_exported public import JobModel
