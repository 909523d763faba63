//! GitLab behind [`Forge`](crate::Forge), on gitlab.com and on hosts of one's own, over REST v4. Its merge requests are our
//! pull requests, its discussions our threads, and the jobs of the head's pipeline our checks.
//!
//! What GitLab requires before a merge and no job stands for, such as resolved threads, is a check that is expected: so it is
//! shown by name and waited for. A job that may fail is optional, and one that only starts by hand is skipped until it does.
//!
//! Known limitations: what one merge request costs is several requests, because REST has no list of them in full. Of more
//! than 1,000 discussions the newest are read, and of a merge train the first 100 places. A fork that is renamed is known by its
//! old name for up to an hour. Accounts do not say whether they are bots; that is guessed from their names.
//!
//! The modules, along the flow of data. Each imports only modules that this list names before it.
//!
//! * `endpoint`: where the API of a host is
//! * `login`: where the token of a host is found
//! * `refusal`: what a status and its body mean
//! * `ids`: the ids of things, with what their addresses need
//! * `api`: a host, and the requests to it
//! * `parts`: pieces that several answers share
//! * `places`: projects by their id
//! * `state`: GitLab's words for mergeability and reviews
//! * `pipeline`: the jobs of a pipeline as checks
//! * `conversation`: discussions as threads and comments
//! * `train`: merge trains
//! * `observe`: merge requests
//! * `project`: what a project is and demands
//! * `confirm`: the checks before a merge
//! * `changes`: lists, and whether they changed
//! * `trace`: the end of a job's log
//! * `failure`: why a check failed
//! * `issue`: issues
//! * `links`: the issues that an issue is connected with
//! * `merge`: merges, at once or later
//! * `write`: everything else that changes something
//! * `client`: the forge itself

mod api;
mod changes;
mod client;
mod confirm;
mod conversation;
mod endpoint;
mod failure;
mod ids;
mod issue;
mod links;
mod login;
mod merge;
mod observe;
mod parts;
mod pipeline;
mod places;
mod project;
mod refusal;
mod state;
mod trace;
mod train;
mod write;

pub use client::GitLab;
pub use endpoint::Endpoint;
pub use login::find_token;
