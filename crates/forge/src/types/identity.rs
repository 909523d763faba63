//! What things on a forge are known by: the forge's own id first, since names and numbers change hands.

use serde::{Deserialize, Serialize};

/// The id that a forge gave to a pull request, a repository, a check or a thread. It survives renames and transfers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub String);

/// The id of a commit in full, in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Oid(pub String);

impl std::fmt::Display for NodeId {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::fmt::Display for Oid {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

/// Owner and name of a repository, as in `acme/shop`. Compared without case, as forges do.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepositoryName {
    owner: String,
    name: String,
}

impl RepositoryName {
    /// Reads `owner/name`; on GitLab the owner may have slashes, too. Returns nothing for a path with an empty or
    /// relative part, or with a character that no forge allows in a name.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let (owner, name) = path.rsplit_once('/')?;
        let allowed =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+');
        let fine = |part: &str| {
            !part.is_empty() && part.len() <= 255 && !matches!(part, "." | "..") && part.bytes().all(allowed)
        };
        let parts = owner.split('/').count();
        (parts <= 20 && owner.split('/').all(fine) && fine(name)).then(|| Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    }

    /// The account, organisation or group.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// The repository's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn key(&self) -> (String, String) {
        (self.owner.to_ascii_lowercase(), self.name.to_ascii_lowercase())
    }
}

impl PartialEq for RepositoryName {
    fn eq(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl Eq for RepositoryName {}

impl std::hash::Hash for RepositoryName {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for RepositoryName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RepositoryName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl std::fmt::Display for RepositoryName {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}/{}", self.owner, self.name)
    }
}

impl TryFrom<String> for RepositoryName {
    type Error = String;

    fn try_from(path: String) -> Result<Self, String> {
        Self::parse(&path).ok_or_else(|| format!("{path:?} is not an owner and a name"))
    }
}

impl From<RepositoryName> for String {
    fn from(name: RepositoryName) -> Self {
        name.to_string()
    }
}

/// A repository that a pull request names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryRef {
    /// The forge's id.
    pub id: NodeId,
    /// Its name at the time.
    pub name: RepositoryName,
}
