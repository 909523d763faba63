//! A plan over several projects: in which one each share is, with which commits it begins there, and what it needs elsewhere. The
//! repositories of two projects have no common history, so that work in one neither begins with the work in another nor contains it.

use crate::record::{PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::share::Share;
use crate::share_record::ShareRecord;
use downbeat_model::ProjectId;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

impl PlanRecord {
    /// Returns the project of a share.
    #[must_use]
    pub fn project_of(&self, place: usize) -> &ProjectId {
        let share = self.shares.get(place).map(|one| &one.share);
        share
            .and_then(|share| share.project.as_ref())
            .unwrap_or(&self.project)
    }

    /// Returns the projects that are worked on, the plan's own first.
    #[must_use]
    pub fn projects(&self) -> Vec<&ProjectId> {
        let mut all = vec![&self.project];
        for project in self.shares.iter().filter_map(|one| one.share.project.as_ref()) {
            if !all.contains(&project) {
                all.push(project);
            }
        }
        all
    }

    /// Reports whether it is worked on in several projects.
    #[must_use]
    pub fn is_over_several(&self) -> bool {
        let mut shares = self.shares.iter();
        shares.any(|one| one.share.project.is_some())
    }

    /// Says in each task in which project it is, if there are several.
    pub fn name_projects(&mut self, name: impl Fn(&ProjectId) -> Option<String>) {
        let is_over_several = self.is_over_several();
        for task in &mut self.plan.tasks {
            let of = task.project_id.as_ref();
            // What is done already may have been done in a project that nobody knows.
            if task.done && of.is_none() && task.project.is_some() {
                continue;
            }
            let of = of.unwrap_or(&self.project);
            // One that was removed keeps the name that it had.
            let known = name(of).or_else(|| task.project.take());
            task.project = known.filter(|_| is_over_several);
        }
    }

    /// Lets the tasks of a share be worked on in another project; none for the plan's own. Nobody has begun them.
    pub fn move_to(&mut self, place: usize, project: Option<ProjectId>) {
        let Some(share) = self.shares.get_mut(place).map(|one| &mut one.share) else {
            return;
        };
        share.project = project.clone().filter(|project| *project != self.project);
        for task in &mut self.plan.tasks {
            if share.tasks.contains(&task.id) {
                task.project_id.clone_from(&share.project);
            }
        }
    }

    /// Reports whether nothing is left to do on a share, and it has no commit, because it was skipped or done by hand. Who needs it
    /// begins with what it needs itself.
    fn is_passed(&self, place: usize) -> bool {
        let one = self.shares.get(place);
        one.is_some_and(|one| {
            one.tip.is_none() && matches!(one.state, ShareState::Done | ShareState::Skipped)
        })
    }

    /// Returns a share with all that it waits for: instead of what was skipped or done without a commit, it begins with what that needs.
    pub(crate) fn waiting(&self, place: usize) -> Option<Cow<'_, Share>> {
        let share = &self.shares.get(place)?.share;
        if !share.needs.iter().any(|need| self.is_passed(*need)) {
            return Some(Cow::Borrowed(share));
        }
        let (mut share, mut at) = (share.clone(), 0);
        let mut known: HashSet<usize> = share.needs.iter().copied().collect();
        while let Some(need) = share.needs.get(at).copied() {
            at += 1;
            let behind = self.shares.get(need).filter(|_| self.is_passed(need));
            let behind = behind.into_iter().flat_map(|one| &one.share.needs);
            share
                .needs
                .extend(behind.copied().filter(|need| known.insert(*need)));
        }
        Some(Cow::Owned(share))
    }

    /// Reports whether the branch of a share can begin with the commit of another one, which it needs: that is in the same project, and
    /// was done before. What was retried after the worker had started was not.
    pub(crate) fn can_begin_with(&self, place: usize, other: usize) -> bool {
        let (Some(one), Some(of)) = (self.shares.get(place), self.shares.get(other)) else {
            return false;
        };
        let was_there = of.tip.is_some() && of.done_as <= one.begun_as;
        was_there && self.project_of(place) == self.project_of(other)
    }

    /// Returns the nearest shares that a share needs and whose commits its branch began with. A need without such a commit is replaced
    /// by its own needs. Stages are not considered.
    pub(crate) fn needs_begun_with(&self, place: usize) -> Vec<usize> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let needs = |place: usize| {
            self.shares
                .get(place)
                .into_iter()
                .flat_map(|one| &one.share.needs)
        };
        let mut open: Vec<usize> = needs(place).copied().collect();
        while let Some(other) = open.pop() {
            if !seen.insert(other) {
                continue;
            }
            match self.can_begin_with(place, other) {
                true => found.push(other),
                false => open.extend(needs(other)),
            }
        }
        found
    }

    /// Returns the shares with a commit that the branch of a share contains: what it began with, and what that contains.
    pub(crate) fn contained(&self, place: usize) -> BTreeSet<usize> {
        let stage = self.shares.get(place).map_or(0, |one| one.share.stage);
        // Whatever an earlier stage contributed to these branches was also done before this one began.
        let earlier = (0..self.shares.len()).filter(|other| {
            let is_earlier = self.shares.get(*other).is_some_and(|one| one.share.stage < stage);
            is_earlier && self.can_begin_with(place, *other)
        });
        let mut open: Vec<usize> = earlier.chain(self.needs_begun_with(place)).collect();
        let mut found = BTreeSet::new();
        while let Some(at) = open.pop() {
            if found.insert(at) {
                open.extend(self.needs_begun_with(at));
            }
        }
        found
    }

    /// Returns the commits that a share has to begin with: those of what it needs in its project, and of the stages before it. Where
    /// a share has no commit there, because it was skipped or done by hand, or is in another project, it is followed by what that
    /// one needs.
    #[must_use]
    pub fn tips(&self, place: usize) -> Vec<(&str, &str)> {
        let own = self.project_of(place);
        let is_here = |other: usize, one: &ShareRecord| one.tip.is_some() && self.project_of(other) == own;
        let before = self.before(place, is_here).into_iter();
        let here = before.filter_map(|other| {
            let one = self.shares.get(other).filter(|one| is_here(other, one))?;
            Some((one.share.name.as_str(), one.tip.as_deref()?))
        });
        here.collect()
    }

    /// Returns the names of the shares that a share needs in its project, directly or behind what was skipped, and on which something is
    /// left to do.
    #[must_use]
    pub fn open_needs(&self, place: usize) -> Vec<&str> {
        let own = self.project_of(place);
        let nearest = self.before(place, |other, _| !self.is_passed(other)).into_iter();
        let open = nearest.filter_map(|other| {
            let is_here = self.project_of(other) == own;
            let one = self.shares.get(other).filter(|_| is_here)?;
            let is_open = !matches!(one.state, ShareState::Done | ShareState::Skipped);
            is_open.then_some(one.share.name.as_str())
        });
        open.collect()
    }

    /// Returns the places of the shares in other projects whose work a share needs, and does not begin with.
    #[must_use]
    pub fn elsewhere(&self, place: usize) -> Vec<usize> {
        let own = self.project_of(place);
        let mut before = self.before(place, |_, one| one.tip.is_some());
        before.retain(|other| {
            let has_work = self.shares.get(*other).is_some_and(|one| one.tip.is_some());
            has_work && self.project_of(*other) != own
        });
        before.into_iter().collect()
    }

    /// Returns the places of the shares in other projects whose work has to land before that of a share: all that it needs there,
    /// directly or through others. What was skipped, or has no commit, does not land.
    #[must_use]
    pub fn lands_after(&self, place: usize) -> Vec<usize> {
        if !self.is_over_several() {
            return Vec::new();
        }
        let own = self.project_of(place);
        let is_to_land = |one: &ShareRecord| match one.state {
            ShareState::Done => one.tip.is_some() && !one.changed_nothing && !one.landed,
            ShareState::Skipped => false,
            ShareState::Waiting | ShareState::Running | ShareState::Failed => {
                self.state != PlanState::Cancelled
            }
        };
        let mut before = self.before(place, |_, _| false);
        before.retain(|other| {
            self.project_of(*other) != own && self.shares.get(*other).is_some_and(is_to_land)
        });
        before.into_iter().collect()
    }

    /// Records that the work of a share is on the default branch of its project.
    pub fn landed(&mut self, place: usize, tip: &str) {
        let one = self.shares.get_mut(place);
        if let Some(one) = one.filter(|one| one.tip.as_deref() == Some(tip)) {
            one.landed = true;
        }
    }

    /// Returns what a share needs and the stages before it, each followed by what it needs itself unless `ends` says that this is
    /// not asked for.
    pub(crate) fn before(&self, place: usize, ends: impl Fn(usize, &ShareRecord) -> bool) -> BTreeSet<usize> {
        let Some(own) = self.shares.get(place).map(|one| &one.share) else {
            return BTreeSet::new();
        };
        let stages = self.shares.iter().enumerate();
        let stages = stages.filter(|(_, one)| one.share.stage < own.stage);
        let stages = stages.map(|(other, _)| other);
        let mut open: Vec<usize> = own.needs.iter().copied().chain(stages).collect();
        let mut before = BTreeSet::new();
        while let Some(other) = open.pop() {
            let Some(one) = self.shares.get(other).filter(|_| before.insert(other)) else {
                continue;
            };
            if !ends(other, one) {
                open.extend(&one.share.needs);
            }
        }
        before
    }
}

#[cfg(test)]
#[path = "across_tests.rs"]
mod tests;
