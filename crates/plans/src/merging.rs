//! What is merged of a plan's work: in which order, what there is to merge of each share, and what that keeps back. Asks for no
//! merge, and knows no repository.

use crate::plan::Stands;
use crate::record::PlanRecord;
use crate::schedule::ShareState;
use crate::share_record::ShareRecord;
use std::collections::{BTreeMap, HashMap};

/// What is known of the worker of a share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerFacts {
    /// Whether there still is a session of it.
    pub is_known: bool,
    /// Whether it was archived.
    pub is_archived: bool,
    /// The commit that its branch began with.
    pub base: Option<String>,
}

/// How the work of a plan is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MergeChoices {
    /// Whether the commits of a worker become one. A branch that contains another one is then merged in its place: the commits of
    /// that one would no longer be known as merged.
    pub squash: bool,
    /// Whether the person says that work done by hand, and that of removed sessions, is merged.
    pub by_hand_merged: bool,
}

/// What is done about one share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeStep {
    /// Its commit is merged.
    Request,
    /// All of its work landed.
    Landed,
    /// It was skipped.
    Skipped,
    /// Its worker committed nothing.
    NothingChanged,
    /// It is done, but not in a session and without a commit.
    NoBranch,
    /// It was done by hand, and the person says that it is merged.
    MergedByHand,
    /// Another version of its task was kept.
    NotKept,
    /// It lands with the share at that place, whose branch contains it.
    With(usize),
    /// It needs the work of the share at that place, which is not merged.
    Needs(usize),
    /// A share of an earlier stage, at that place, is not merged.
    After(usize),
    /// It was done by hand, so that the person merges it.
    ByHand,
    /// It is not done.
    Open(ShareState),
    /// There are several versions of its task, of which the person keeps one.
    Versions,
    /// Checks fail with it on purpose, and what makes them pass is not done.
    MeantToFail,
    /// Its session was removed.
    Removed,
}

impl MergeStep {
    /// Reports whether there is nothing to merge of the share, now or later.
    fn is_settled(self) -> bool {
        matches!(
            self,
            Self::Landed
                | Self::Skipped
                | Self::NothingChanged
                | Self::NoBranch
                | Self::MergedByHand
                | Self::NotKept
        )
    }

    /// Reports whether the share is not merged, although it has work, or will have.
    #[must_use]
    pub fn leaves(self) -> bool {
        matches!(
            self,
            Self::Needs(_)
                | Self::After(_)
                | Self::ByHand
                | Self::Open(_)
                | Self::Versions
                | Self::MeantToFail
                | Self::Removed
        )
    }
}

/// A merge of a plan's work.
#[derive(Debug)]
pub struct Merging<'a> {
    plan: &'a PlanRecord,
    choices: MergeChoices,
    facts: Vec<WorkerFacts>,
    /// The share with which each one would land.
    with: Vec<Option<usize>>,
    /// The shares that do the same task as each one.
    versions: HashMap<&'a str, Vec<usize>>,
    /// The shares that keep back what needs them, with the one that is not merged itself.
    kept: HashMap<usize, usize>,
    /// The earliest stage of which a share is not merged, and that share.
    earliest: Option<(u32, usize)>,
}

impl<'a> Merging<'a> {
    /// Begins a merge of a plan's work; `facts` are those of its shares, in their order.
    #[must_use]
    pub fn new(plan: &'a PlanRecord, choices: MergeChoices, facts: Vec<WorkerFacts>) -> Self {
        let mut merging = Self {
            plan,
            choices,
            facts,
            with: Vec::new(),
            versions: versions(plan),
            kept: HashMap::new(),
            earliest: None,
        };
        merging.with = merging.containing();
        merging
    }

    /// Returns the places of the shares by their stages, each after those that it needs.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let levels = levels(self.plan);
        let mut order: Vec<usize> = (0..self.plan.shares.len()).collect();
        order.sort_by_key(|place| (stage_of(self.plan, *place), levels.get(*place).copied()));
        order
    }

    /// Decides about a share. The shares are asked for in their [order](Self::order).
    pub fn step(&mut self, place: usize) -> MergeStep {
        let own = self.own(place);
        let kept_by = self.kept_by(place);
        let step = kept_by.filter(|_| !own.is_settled()).unwrap_or(own);
        match (step, kept_by) {
            (MergeStep::Landed, _) => {}
            (_, Some(MergeStep::Needs(other) | MergeStep::After(other))) => {
                // What needs it contains what keeps it back.
                self.kept.insert(place, other);
            }
            _ if step.leaves() => self.refused(place),
            _ => {}
        }
        step
    }

    /// Records that the merge of a share was refused, which keeps back what comes after it.
    pub fn refused(&mut self, place: usize) {
        self.kept.insert(place, place);
        let own = (stage_of(self.plan, place), place);
        if self.earliest.is_none_or(|(stage, _)| own.0 < stage) {
            self.earliest = Some(own);
        }
    }

    fn kept_by(&self, place: usize) -> Option<MergeStep> {
        let mut needs = needs_of(self.plan, place);
        if let Some(other) = needs.find_map(|need| self.kept.get(&need)) {
            return Some(MergeStep::Needs(*other));
        }
        let (stage, other) = self.earliest?;
        (stage < stage_of(self.plan, place)).then_some(MergeStep::After(other))
    }

    /// Returns what there is to do about a share by itself.
    fn own(&self, place: usize) -> MergeStep {
        let Some(one) = self.plan.shares.get(place) else {
            return MergeStep::NoBranch;
        };
        let is_by_hand = one.is_by_hand();
        match one.state {
            ShareState::Skipped => MergeStep::Skipped,
            ShareState::Waiting | ShareState::Running | ShareState::Failed => MergeStep::Open(one.state),
            ShareState::Done if one.landed_at().is_some() => MergeStep::Landed,
            ShareState::Done if one.changed_nothing => MergeStep::NothingChanged,
            ShareState::Done if is_by_hand && one.tip.is_none() => MergeStep::NoBranch,
            ShareState::Done if is_by_hand && self.choices.by_hand_merged => MergeStep::MergedByHand,
            ShareState::Done if is_by_hand => MergeStep::ByHand,
            ShareState::Done if one.session.is_none() => MergeStep::NoBranch,
            ShareState::Done if !self.facts(place).is_known && self.choices.by_hand_merged => {
                MergeStep::MergedByHand
            }
            ShareState::Done if !self.facts(place).is_known => MergeStep::Removed,
            ShareState::Done if self.changed_nothing(place) => MergeStep::NothingChanged,
            ShareState::Done => self.version(place).unwrap_or_else(|| self.lands(place)),
        }
    }

    /// Returns with what the work of a share lands.
    fn lands(&self, place: usize) -> MergeStep {
        let with = self.with.get(place).copied().flatten().map(MergeStep::With);
        if self.plan.is_meant_to_fail(place) {
            return with.unwrap_or(MergeStep::MeantToFail);
        }
        with.filter(|_| self.choices.squash).unwrap_or(MergeStep::Request)
    }

    /// Decides about a share of whose task there are several versions; nothing if it is the one that is kept.
    fn version(&self, place: usize) -> Option<MergeStep> {
        let tasks = self.plan.tasks(place).into_iter();
        let mut of = tasks.filter_map(|task| self.versions.get(stands_for(&task.stands)?));
        let others: Vec<usize> = of
            .find(|all| all.len() > 1)?
            .iter()
            .copied()
            .filter(|other| *other != place)
            .collect();
        let any = |is: &dyn Fn(&ShareRecord, &WorkerFacts) -> bool| {
            let all = others.iter();
            let mut all = all.filter_map(|other| Some((self.plan.shares.get(*other)?, self.facts(*other))));
            all.any(|(one, facts)| is(one, facts))
        };
        if any(&|one, _| one.landed_at().is_some()) {
            return Some(MergeStep::NotKept);
        }
        let is_another_there = any(&|one, facts| {
            !facts.is_archived && !matches!(one.state, ShareState::Skipped | ShareState::Failed)
        });
        match (is_another_there, self.facts(place).is_archived) {
            (true, true) => Some(MergeStep::NotKept),
            (true, false) => Some(MergeStep::Versions),
            (false, false) => None,
            // Nothing says which one was kept.
            (false, true) => any(&|one, _| one.state == ShareState::Done).then_some(MergeStep::Versions),
        }
    }

    fn facts(&self, place: usize) -> &WorkerFacts {
        const NONE: &WorkerFacts = &WorkerFacts {
            is_known: false,
            is_archived: false,
            base: None,
        };
        self.facts.get(place).unwrap_or(NONE)
    }

    fn changed_nothing(&self, place: usize) -> bool {
        let tip = self.plan.shares.get(place).and_then(|one| one.tip.as_ref());
        tip.is_none() || tip == self.facts(place).base.as_ref()
    }

    /// Returns for each share the next one in its project that is done, has work of its own and contains the work of the share.
    fn containing(&self) -> Vec<Option<usize>> {
        let count = self.plan.shares.len();
        let order = self.order();
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); count];
        for place in &order {
            let has_tip = |one: &&ShareRecord| one.tip.is_some();
            if self.plan.shares.get(*place).filter(has_tip).is_none() {
                continue;
            }
            for held in self.plan.needs_begun_with(*place) {
                if let Some(all) = holders.get_mut(held) {
                    all.push(*place);
                }
            }
        }
        let mut with: Vec<Option<usize>> = vec![None; count];
        // What has work of its own, by its stage.
        let mut of_stages: BTreeMap<(&str, u32), Vec<usize>> = BTreeMap::new();
        for place in order.into_iter().rev() {
            let (project, stage) = (self.plan.project_of(place).as_str(), stage_of(self.plan, place));
            let mut of_needs = holders.get(place).into_iter().flatten();
            let next = of_needs.find_map(|holder| match self.has_work(*holder) {
                true => Some(*holder),
                false => with.get(*holder).copied().flatten(),
            });
            let of_a_stage = || {
                let later = of_stages.range((project, stage + 1)..);
                let later = later.take_while(|((of, _), _)| *of == project);
                let mut later = later.flat_map(|(_, places)| places.iter().rev().copied());
                later.find(|later| self.plan.can_begin_with(*later, place))
            };
            let next = next.or_else(of_a_stage);
            if let Some(with) = with.get_mut(place) {
                *with = next;
            }
            if self.has_work(place) {
                of_stages.entry((project, stage)).or_default().push(place);
            }
        }
        with
    }

    /// Reports whether a branch of a share is to be merged.
    fn has_work(&self, place: usize) -> bool {
        let base = self.facts(place).base.as_deref();
        self.plan.has_work_to_merge(place, base)
    }
}

impl PlanRecord {
    /// Reports whether the commit of a share is there to be merged; its branch began with `base`.
    #[must_use]
    pub fn has_work_to_merge(&self, place: usize, base: Option<&str>) -> bool {
        let one = self.shares.get(place).filter(|one| one.state == ShareState::Done);
        let is_own = one.is_some_and(|one| {
            let changed = one.tip.is_some() && one.tip.as_deref() != base;
            changed && !one.changed_nothing && !one.is_by_hand() && one.landed_at().is_none()
        });
        is_own && !self.is_meant_to_fail(place)
    }

    /// Reports whether the checks fail with the work of a share on purpose.
    fn is_meant_to_fail(&self, place: usize) -> bool {
        let tasks = self.tasks(place);
        !tasks.is_empty() && tasks.iter().all(|task| task.unchecked)
    }
}

/// Returns which shares do the same task of the plan's file.
fn versions(plan: &PlanRecord) -> HashMap<&str, Vec<usize>> {
    let stands: HashMap<&str, &Stands> = (plan.plan.tasks.iter())
        .map(|task| (task.id.as_str(), &task.stands))
        .collect();
    let mut versions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, one) in plan.shares.iter().enumerate() {
        let of = one.share.tasks.iter();
        for id in of.filter_map(|task| stands_for(stands.get(task.as_str())?)) {
            let all = versions.entry(id).or_default();
            if all.last() != Some(&place) {
                all.push(place);
            }
        }
    }
    versions
}

fn stands_for(stands: &Stands) -> Option<&str> {
    match stands {
        Stands::For { id, .. } => Some(id),
        Stands::ForItself | Stands::ForNothing => None,
    }
}

fn needs_of(plan: &PlanRecord, place: usize) -> impl Iterator<Item = usize> {
    let share = plan.shares.get(place).map(|one| &one.share);
    share.into_iter().flat_map(|share| share.needs.iter().copied())
}

fn stage_of(plan: &PlanRecord, place: usize) -> u32 {
    plan.shares.get(place).map_or(0, |one| one.share.stage)
}

/// Returns for each share the length of the longest chain of shares that it needs.
fn levels(plan: &PlanRecord) -> Vec<usize> {
    let count = plan.shares.len();
    let mut needers: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut open: Vec<usize> = vec![0; count];
    for place in 0..count {
        for need in needs_of(plan, place) {
            if let (Some(all), Some(open)) = (needers.get_mut(need), open.get_mut(place)) {
                all.push(place);
                *open += 1;
            }
        }
    }
    let mut levels = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|place| open.get(*place) == Some(&0)).collect();
    while let Some(place) = ready.pop() {
        let level = levels.get(place).copied().unwrap_or(0) + 1;
        for other in needers.get(place).into_iter().flatten() {
            if let (Some(own), Some(open)) = (levels.get_mut(*other), open.get_mut(*other)) {
                *own = level.max(*own);
                *open -= 1;
                if *open == 0 {
                    ready.push(*other);
                }
            }
        }
    }
    levels
}

#[cfg(test)]
#[path = "merging_tests.rs"]
mod tests;
