//! Posts of hooks, from connections and from the spool: each is taken once, in the order of the posts. Their
//! meaning is left to the engine that reads them.

use super::owner::Owner;
use crate::proto::{Answer, Request, Role, read_frame};
use crate::report::EntryKind;
use crate::spool::{self, Postmark};
use jiff::{SignedDuration, Timestamp};

/// The number of marks that are kept. A post may wait both at the socket and in the spool, and all other
/// posts that wait may be taken between its two arrivals: twice as many as the spool holds.
const MARKS: usize = 2 * spool::POSTS;

/// The delay above which a post keeps its own time: the keeper was stopped.
const LATE: SignedDuration = SignedDuration::from_secs(1);

/// Returns the post in the bytes of a hook's connection, with its mark, if the post is complete.
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
    /// Takes a hook's post, after all older posts of the spool.
    pub(super) fn hook(&mut self, mark: Option<Postmark>, body: &[u8]) -> Answer {
        if let Some(mark) = mark {
            self.take_spooled(Some(mark));
        }
        let is_taken = self.posted(mark, body);
        if let Some(mark) = mark.filter(|_| is_taken) {
            // The hook may also have left the post in the spool, not knowing that it would be taken here.
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

    /// Takes the posts of the spool; with `before`, those that are older than this mark.
    pub(super) fn take_spooled(&mut self, before: Option<Postmark>) {
        for mark in spool::waiting(&self.dir, before) {
            // A post that cannot be read now may be readable next time.
            let Ok(body) = spool::read(&self.dir, mark) else {
                continue;
            };
            if !self.posted(Some(mark), &body) {
                spool::note_lost_post(&self.dir);
            }
            spool::remove(&self.dir, mark);
        }
    }

    /// Takes all posts of the spool once no client waits, and counts those whose hook died while writing
    /// them. Not earlier, because the socket may have such a post as well.
    pub(super) fn settle_spool(&mut self) {
        self.take_spooled(None);
        for mark in spool::given_up(&self.dir) {
            if !self.marks.contains(&mark) {
                spool::note_lost_post(&self.dir);
            }
        }
    }

    /// Journals a post, once; `false` if there is no room.
    fn posted(&mut self, mark: Option<Postmark>, body: &[u8]) -> bool {
        let now = Timestamp::now();
        let mut at = now;
        if let Some(mark) = mark {
            // The newest marks are the likeliest.
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
