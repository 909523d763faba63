//! Where the work of a plan landed, for its report. Not the order in which it lands: see `across`.

use crate::record::PlanRecord;
use crate::schedule::ShareState;
use crate::share_record::{Landing, ShareRecord};
use crate::words::{one_line, some_of};

/// The most places that a report names.
const MOST_PLACES: usize = 20;

/// The most workers that it names at each.
const MOST_NAMED: usize = 40;

impl PlanRecord {
    /// Records where work that was done by hand landed. What it began with is looked for by itself.
    pub fn lands_by_hand(&mut self, place: usize, head: &str, at: &str) {
        let is_it = |one: &&mut ShareRecord| {
            one.is_by_hand() && one.tip.as_deref() == Some(head) && one.landed_at().is_none()
        };
        if let Some(one) = self.shares.get_mut(place).filter(is_it) {
            one.landing = Some(Landing {
                head: head.to_owned(),
                place: at.to_owned(),
            });
        }
    }

    /// Records why a merge of the work of a share's worker failed.
    pub fn not_merged(&mut self, place: usize, why: &str) {
        if let Some(one) = self.shares.get_mut(place) {
            one.unmerged = Some(why.to_owned());
        }
    }

    /// Records where a commit of a share's worker landed, with the work that it began with.
    pub fn lands(&mut self, place: usize, head: &str, at: &str) {
        let own = self.project_of(place).clone();
        let landing = |head: &str| Landing {
            head: head.to_owned(),
            place: at.to_owned(),
        };
        for other in self.contained(place) {
            let is_here = *self.project_of(other) == own;
            let one = self.shares.get_mut(other);
            if let Some(one) = one.filter(|one| is_here && one.landed_at().is_none())
                && let Some(tip) = &one.tip
            {
                one.landing = Some(landing(tip));
            }
        }
        let mut landed = head.to_owned();
        if let Some(one) = self.shares.get_mut(place) {
            // What is done may have been rebased or repaired since: that is still its work.
            let is_its_own = one.state == ShareState::Done && !one.is_by_hand();
            if let Some(tip) = one.tip.as_ref().filter(|_| is_its_own) {
                landed.clone_from(tip);
            }
            one.unmerged = None;
            // A merge that is repeated says less about where it landed.
            if one.landed_at().is_none() {
                one.landing = Some(landing(&landed));
            }
        }
        // A worker that changed nothing, such as a reviewer, has the commit that it began with.
        let after = (0..self.shares.len()).filter(|other| *self.project_of(*other) == own);
        for other in after.collect::<Vec<_>>() {
            let one = self.shares.get_mut(other);
            if let Some(one) = one.filter(|one| one.tip.as_ref() == Some(&landed) && one.landing.is_none()) {
                one.landing = Some(landing(&landed));
            }
        }
    }
}

/// Says where the work of a plan landed, and whose did not, once anything landed or the plan is over.
pub(crate) fn landings(plan: &PlanRecord) -> String {
    let done = plan.shares.iter().filter(|one| one.state == ShareState::Done);
    let (mut places, mut not): (Vec<(&str, Vec<&str>)>, Vec<&str>) = Default::default();
    for one in done.filter(|one| one.tip.is_some()) {
        let name = one.share.name.as_str();
        match one.landed_at() {
            None if one.changed_nothing => {}
            None => not.push(name),
            Some(place) => match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, names)) => names.push(name),
                None => places.push((place, vec![name])),
            },
        }
    }
    let is_over = plan.state.is_over();
    if places.is_empty() && !is_over {
        return String::new();
    }
    let mut text = String::new();
    for (place, names) in places.iter().take(MOST_PLACES) {
        let how = if place.contains("://") { "with" } else { "on" };
        text.push_str(&format!(
            "Landed {how} {}: {}\n",
            one_line(place),
            some_of(names.iter().copied(), MOST_NAMED)
        ));
    }
    if let Some(more) = places.len().checked_sub(MOST_PLACES).filter(|more| *more > 0) {
        text.push_str(&format!("Landed in {more} other places, too\n"));
    }
    if !not.is_empty() {
        text.push_str(&format!(
            "Not landed yet: {}\n",
            some_of(not.into_iter(), MOST_NAMED)
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::landings;
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::record::{PlanRecord, PlanState};
    use crate::share::Split;
    use downbeat_model::{PlanId, ProjectId};
    use jiff::Timestamp;

    fn plan(text: &str) -> PlanRecord {
        let plan = read_goal(text, &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        PlanRecord::new(id, project, plan, Split::Task, Timestamp::UNIX_EPOCH)
    }

    fn done(plan: &mut PlanRecord, task: &str, tip: Option<&str>) -> usize {
        let place = plan.place_of(task).unwrap();
        plan.done(place, tip.map(str::to_owned), Timestamp::UNIX_EPOCH);
        place
    }

    #[test]
    fn what_a_branch_began_with_lands_with_it() {
        let text = "Set up database (id: db), Create API (id: api) (depends_on: db), Write docs (id: docs), Audit (id: audit)";
        let mut plan = plan(text);
        done(&mut plan, "db", Some("d"));
        let api = done(&mut plan, "api", Some("a"));
        let docs = done(&mut plan, "docs", Some("o"));
        assert_eq!(landings(&plan), "", "nobody asks before anything landed");
        plan.lands(api, "a", "main as 1234567");
        assert_eq!(
            landings(&plan),
            "Landed on main as 1234567: database, backend\nNot landed yet: documentation\n"
        );
        plan.lands(api, "a", "main");
        assert!(
            landings(&plan).starts_with("Landed on main as 1234567: "),
            "the first place stays"
        );
        plan.lands(docs, "o", "https://forge/acme/shop/pull/3");
        assert!(landings(&plan).ends_with("\nLanded with https://forge/acme/shop/pull/3: documentation\n"));
    }

    #[test]
    fn a_worker_that_changed_nothing_lands_with_what_it_began_with() {
        let mut plan = plan("Create API (id: api), Review the API (id: review) (depends_on: api)");
        let api = done(&mut plan, "api", Some("a"));
        done(&mut plan, "review", Some("a"));
        plan.state = PlanState::Complete;
        plan.lands(api, "a", "main as 1234567");
        let said = landings(&plan);
        assert!(
            said.starts_with("Landed on main as 1234567: ") && !said.contains("Not landed"),
            "{said}"
        );
    }

    #[test]
    fn work_by_hand_lands_alone_and_not_with_that_of_the_worker_before() {
        let text = "Create API (id: api), Build UI (id: ui) (depends_on: api)";
        let mut plan = plan(text);
        let api = done(&mut plan, "api", Some("a"));
        let ui = plan.place_of("ui").unwrap();
        plan.done_by_hand(ui, Some("u".into()), Timestamp::UNIX_EPOCH);
        plan.lands_by_hand(ui, "u", "main");
        plan.lands_by_hand(api, "a", "main");
        let landed = |plan: &PlanRecord| [ui, api].map(|place| plan.shares[place].landed_at().is_some());
        assert_eq!(landed(&plan), [true, false], "nobody looked for what it needs");
        plan.done_by_hand(ui, Some("v".into()), Timestamp::UNIX_EPOCH);
        plan.lands(ui, "u", "main as 1234567");
        assert!(!landed(&plan)[0], "other work landed than what counts now");
    }

    #[test]
    fn what_changed_nothing_has_nothing_to_land() {
        let mut plan = plan("Create API (id: api), Audit (id: audit)");
        done(&mut plan, "api", Some("a"));
        let audit = done(&mut plan, "audit", Some("base"));
        plan.note_no_commit(audit);
        plan.state = PlanState::Complete;
        assert_eq!(landings(&plan), "Not landed yet: backend\n");
    }

    #[test]
    fn a_failed_merge_counts_until_the_work_lands() {
        let mut plan = plan("Create API (id: api)");
        let api = done(&mut plan, "api", Some("a"));
        plan.not_merged(api, "api conflicts with main in a.txt");
        assert_eq!(
            plan.shares[api].merge_failure(),
            Some("api conflicts with main in a.txt")
        );
        plan.lands(api, "b", "main as 1234567");
        assert_eq!(plan.shares[api].merge_failure(), None);
        plan.not_merged(api, "it was merged already");
        assert_eq!(plan.shares[api].merge_failure(), None, "it has landed");
    }

    #[test]
    fn what_came_after_a_commit_landed_did_not_land() {
        let mut plan = plan("Create API (id: api), Write docs (id: docs)");
        let api = plan.place_of("api").unwrap();
        plan.lands(api, "a", "main as 1234567");
        assert_eq!(landings(&plan), "", "it is not done");
        done(&mut plan, "api", Some("b"));
        done(&mut plan, "docs", None);
        plan.state = PlanState::Complete;
        assert_eq!(
            landings(&plan),
            "Not landed yet: backend\n",
            "documentation has no commit"
        );
        plan.lands(api, "c", "main as 7654321");
        assert_eq!(
            landings(&plan),
            "Landed on main as 7654321: backend\n",
            "with a commit that repairs it"
        );
    }
}
