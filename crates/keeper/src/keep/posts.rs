//! Posts of hooks, those that came on a connection and those that lie in the spool: each once, in the
//! order in which they were made. Not what they mean: an engine reads them.

use super::owner::Owner;
use crate::proto::{Answer, Request, Role, read_frame};
use crate::report::EntryKind;
use crate::spool::{self, Postmark};
use jiff::{SignedDuration, Timestamp};

/// Marks that are kept. A post may wait at the socket and in the spool, and all that wait at both may be
/// taken between its two ways: twice as many as the spool holds.
const MARKS: usize = 2 * spool::POSTS;

/// A post that comes later than this after it was made has its own time: the keeper was stopped.
const LATE: SignedDuration = SignedDuration::from_secs(1);

/// The post in the bytes of a hook's connection, with its mark, where they hold all of it.
pub fn whole_post(mut bytes: &[u8]) -> Option<(Option<Postmark>, Vec<u8>)> {
    let mut next = || -> Option<Request> {
        loop {
            let (kind, body) = read_frame(&mut bytes).ok()??;
            if let Some(request) = Request::decode(kind, body).ok()? {
                return Some(request);
            }
        }
    };
    let Request::Hello { role: Role::Hook, .. } = next()? else {
        return None;
    };
    match next()? {
        Request::Hook(body) => Some((None, body)),
        Request::Mark(mark) => match next()? {
            Request::Hook(body) => Some((Some(mark), body)),
            _ => None,
        },
        _ => None,
    }
}

impl Owner {
    /// Takes a hook's post, and before it those of the spool that are older.
    pub(super) fn hook(&mut self, mark: Option<Postmark>, body: &[u8]) -> Answer {
        if let Some(mark) = mark {
            self.take_spooled(Some(mark));
        }
        let is_taken = self.posted(mark, body);
        if let Some(mark) = mark.filter(|_| is_taken) {
            // Its hook may have left it in the spool as well, not knowing that it would be taken here.
            spool::remove(&self.dir, mark);
        }
        match is_taken {
            true => Answer::Posted,
            false => Answer::Reply {
                id: 0,
                result: Err("the journal is full: no engine has collected it".to_owned()),
            },
        }
    }

    /// Takes the posts of the spool, or those of them that are older than the one of this mark.
    pub(super) fn take_spooled(&mut self, before: Option<Postmark>) {
        for mark in spool::waiting(&self.dir, before) {
            // One that cannot be read now may be the next time.
            let Ok(body) = spool::read(&self.dir, mark) else {
                continue;
            };
            if !self.posted(Some(mark), &body) {
                spool::note_lost_post(&self.dir);
            }
            spool::remove(&self.dir, mark);
        }
    }

    /// Takes all posts of the spool once no client waits, and counts those whose hook died while it left them
    /// there. Not before: the socket may have such a post as well.
    pub(super) fn settle_spool(&mut self) {
        self.take_spooled(None);
        for mark in spool::given_up(&self.dir) {
            if !self.marks.contains(&mark) {
                spool::note_lost_post(&self.dir);
            }
        }
    }

    /// Writes a post down, once; false where there is no room.
    fn posted(&mut self, mark: Option<Postmark>, body: &[u8]) -> bool {
        let now = Timestamp::now();
        let mut at = now;
        if let Some(mark) = mark {
            // The newest are the likeliest.
            if self.marks.iter().rev().any(|known| *known == mark) {
                return true;
            }
            if now.duration_since(mark.at) > LATE {
                at = mark.at;
            }
        }
        let body = String::from_utf8_lossy(body).into_owned();
        self.digit_tells = true;
        if !self.note_at(EntryKind::Hook { body }, at, mark) {
            return false;
        }
        if let Some(mark) = mark {
            if self.marks.len() == MARKS {
                self.marks.pop_front();
            }
            self.marks.push_back(mark);
        }
        true
    }
}
