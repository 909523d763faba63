//! Tables of the models that a budget in dollars does not count, and of how often that is reported.

use super::*;
use crate::decide::budgets::Whose;
use crate::state::example::{draft, id, project, session, state, told};
use downbeat_model::budget::Budget;
use downbeat_wire::usage::{BudgetScope, Usage};
use jiff::civil::date;

const DOLLARS: Budget = Budget {
    usd: Some(5.0),
    tokens: None,
};

const TOKENS: Budget = Budget {
    usd: None,
    tokens: Some(5),
};

fn line(budget: Budget, unpriced: &[&str]) -> Line {
    let used = Usage {
        unpriced: unpriced.iter().map(|&model| model.to_owned()).collect(),
        ..Usage::default()
    };
    let whose = Whose::session(&session(1));
    Line::new(BudgetScope::Session, whose, budget, used, 80, date(2026, 3, 1))
}

#[test]
fn a_model_without_a_price_is_news_to_a_budget_in_dollars() {
    for (lines, wanted) in [
        (vec![line(DOLLARS, &[])], vec![]),
        (vec![line(TOKENS, &["b"])], vec![]),
        (
            vec![line(DOLLARS, &["b", "a"]), line(DOLLARS, &["b"])],
            vec!["a", "b"],
        ),
    ] {
        assert_eq!(news(&state([session(1)]), &session(1), &lines), wanted);
    }
}

#[test]
fn each_model_of_a_project_is_reported_once() {
    let lines = [line(DOLLARS, &["a", "b"])];
    let mut draft = draft(50, [session(1), session(2)]);
    notify(&mut draft, &id(2), &["a".to_owned()]).unwrap();
    assert_eq!(told(&draft).len(), 1);
    assert!(told(&draft)[0].starts_with("needsLook: the dollar budget does not count a: "));
    assert_eq!(news(draft.state(), &session(1), &lines), ["b"]);
    notify(&mut draft, &id(2), &[]).unwrap();
    assert_eq!(told(&draft).len(), 1, "nothing is new");
    let mut at_rest = state([session(1)]);
    at_rest.warned = Arc::new([key(&project().id, "a")].into());
    assert_eq!(news(&at_rest, &session(1), &lines), ["b"]);
    let mut elsewhere = session(1);
    elsewhere.project_id = ProjectId::parse("p000000000002").unwrap();
    assert_eq!(news(draft.state(), &elsewhere, &lines), ["a", "b"]);
}
