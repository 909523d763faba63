//! Issues of tasks that no session did: which of them their tracker is still to be told that they are done. A session tells that of
//! its own issue itself.

use crate::record::PlanRecord;
use crate::schedule::ShareState;
use crate::share_record::ShareRecord;
use jiff::{SignedDuration, Timestamp};

/// How long it is looked whether the work has landed, before nobody expects that any more.
const PATIENCE: SignedDuration = SignedDuration::from_hours(30 * 24);

impl PlanRecord {
    /// Returns the places of the shares that were done by hand, or by a result file, and whose issues were not told yet.
    pub fn untold(&self, now: Timestamp) -> impl Iterator<Item = usize> + '_ {
        let is_open = move |one: &ShareRecord| {
            let is_recent = one.ended_at.is_some_and(|at| now.duration_since(at) < PATIENCE);
            one.state == ShareState::Done && one.by_hand && !one.told && is_recent
        };
        let has_issues = self.plan.tasks.iter().any(|task| task.issue.is_some());
        let shares = self.shares.iter().enumerate().filter(move |_| has_issues);
        let open = shares
            .filter(move |(_, one)| is_open(one))
            .map(|(place, _)| place);
        open.filter(move |place| self.tasks(*place).iter().any(|task| task.issue.is_some()))
    }

    /// Records that the issues of a share were told.
    pub fn told_of(&mut self, place: usize) {
        if let Some(one) = self.shares.get_mut(place) {
            one.told = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::record::PlanRecord;
    use crate::share::Split;
    use downbeat_model::session::SessionIssue;
    use downbeat_model::{PlanId, ProjectId};
    use jiff::Timestamp;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(hour * 3600).unwrap()
    }

    #[test]
    fn only_issues_of_what_no_session_did_are_told_and_once() {
        let read = read_goal("a: x | b: y | c: z | d: w", &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        let mut plan = PlanRecord::new(id, project, read, Split::Task, at(0));
        for task in plan.plan.tasks.iter_mut().take(3) {
            task.issue = Some(SessionIssue {
                host: "github.com".into(),
                repository: "acme/shop".into(),
                number: 7,
                title: "x".into(),
                url: "x".into(),
                key: None,
                children: Vec::new(),
                blocked_by: Vec::new(),
            });
        }
        let untold = |plan: &PlanRecord, hour| plan.untold(at(hour)).collect::<Vec<_>>();
        plan.done(0, Some("a".into()), at(1));
        plan.done_by_hand(3, None, at(1));
        assert_eq!(untold(&plan, 1), [0; 0], "a session did it, or it has no issue");
        plan.done_by_hand(1, None, at(1));
        plan.count_results("/results", std::collections::BTreeMap::new());
        assert!(plan.done_by_file(2, ("worker-c_result.json", "v1"), "c".into(), at(2)));
        assert_eq!(untold(&plan, 2), [1, 2]);
        plan.told_of(1);
        assert_eq!(untold(&plan, 2), [2]);
        assert_eq!(untold(&plan, 2 + 31 * 24), [0; 0], "nobody expects it any more");
        let stored = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<PlanRecord>(&stored).unwrap(), plan);
    }
}
