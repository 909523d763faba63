//! The notes on a kept plan: how they are kept, replaced and taken out.

use crate::note::{About, Note};
use crate::record::PlanRecord;

/// The largest number of notes that a plan keeps.
const MOST_NOTES: usize = 50;

/// The largest number of notes that say what happened on the way.
const MOST_EVENTS: usize = 10;

/// The most characters of a note, which may name many tasks.
const MOST_NOTED: usize = 2_000;

impl PlanRecord {
    /// Keeps a note for the person, shortened, and returns it if it is a new one. The same text is kept once. Where there are too many,
    /// the oldest goes: of those that say what happened on the way, or of those about the plan as it was made. If there are none, the
    /// new one is not kept.
    pub fn note(&mut self, about: About, text: &str) -> Option<String> {
        let text = shortened(text);
        if let Some(known) = self.notes.iter_mut().find(|note| note.text == text) {
            known.about = about;
            return None;
        }
        let events = self.notes.iter().filter(|note| note.about == About::Event);
        let is_event = about == About::Event;
        let has_room = self.notes.len() < MOST_NOTES && !(is_event && events.count() >= MOST_EVENTS);
        if !has_room {
            let oldest = |kind: About| self.notes.iter().position(|note| note.about == kind);
            // Others are told once: without their note they would be told again at each look.
            let of_plan = || oldest(About::Plan).filter(|_| !is_event);
            let oldest = oldest(About::Event).or_else(of_plan)?;
            self.notes.remove(oldest);
        }
        self.notes.push(Note {
            text: text.clone(),
            about,
        });
        Some(text)
    }

    /// Keeps a note in place of the one about the same; returns it if it is a new one.
    pub(crate) fn note_instead(&mut self, about: About, text: &str) -> Option<String> {
        let new = shortened(text);
        self.notes.retain(|note| note.about != about || note.text == new);
        self.note(about, text)
    }

    /// Takes out the notes about something. Returns whether there was one.
    pub fn forget_notes_about(&mut self, about: &About) -> bool {
        let before = self.notes.len();
        self.notes.retain(|note| note.about != *about);
        self.notes.len() < before
    }

    /// Returns the texts of the notes, as faces show them.
    #[must_use]
    pub fn noted(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.text.clone()).collect()
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MOST_NOTED).collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::Domains;
    use crate::forms::read_goal;
    use crate::note::{About, Note};
    use crate::record::PlanRecord;
    use crate::share::Split;
    use downbeat_model::{PlanId, ProjectId};
    use jiff::Timestamp;

    fn plan() -> PlanRecord {
        let plan = read_goal("a: x | b: y", &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        PlanRecord::new(id, project, plan, Split::Task, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn what_a_note_is_about_decides_and_not_its_text() {
        let mut plan = plan();
        let file = |name: &str| About::ResultFile { file: name.into() };
        let said = "worker-a_result.json does not count: no";
        assert!(plan.note(About::Plan, said).is_some());
        assert!(
            plan.refuse_result("worker-a_result.json", "it is a link")
                .is_some()
        );
        assert!(plan.forget_notes_about(&file("worker-a_result.json")));
        assert_eq!(plan.noted(), [said], "a note of the same words is about the plan");
        assert!(!plan.forget_notes_about(&file("worker-a_result.json")));
        // A task of that title is not ticked.
        let about = About::Ticking { line: "1".into() };
        plan.note(about.clone(), "x and more not ticked in plan.md: gone");
        plan.note(About::Plan, "x not ticked in plan.md: says somebody");
        assert!(plan.forget_notes_about(&about));
        assert_eq!(plan.noted().len(), 2);
    }

    #[test]
    fn the_oldest_notes_make_room_and_first_those_of_what_happened() {
        let mut plan = plan();
        for number in 0..30 {
            assert!(plan.note(About::Event, &format!("event {number}")).is_some());
        }
        let noted = plan.noted();
        assert_eq!((noted.len(), noted[0].as_str()), (10, "event 20"));
        for number in 0..45 {
            assert!(plan.note(About::Plan, &format!("plan {number}")).is_some());
        }
        let noted = plan.noted();
        assert_eq!(
            (noted.len(), noted[0].as_str(), noted[5].as_str()),
            (50, "event 25", "plan 0")
        );
        for number in 0..6 {
            let refused = plan.refuse_result(&format!("worker-{number}_result.json"), "it is a link");
            assert!(refused.is_some(), "it is new, so the person is told");
        }
        let noted = plan.noted();
        assert_eq!((noted.len(), noted[0].as_str()), (50, "plan 1"));
        for number in 0..60 {
            plan.refuse_result(&format!("worker-{number}_result.json"), "it is a link");
        }
        let again = plan.refuse_result("worker-59_result.json", "it is a link");
        assert_eq!(again, None, "what is not kept is not told at each look");
        assert_eq!(plan.refuse_result("worker-0_result.json", "it is a link"), None);
        assert_eq!(
            plan.note(About::Event, "late"),
            None,
            "it takes no other note's place"
        );
        assert_eq!(plan.noted().len(), 50);
    }

    #[test]
    fn a_long_note_is_new_once_and_notes_that_were_stored_before_are_read() {
        let mut plan = plan();
        let why = "w".repeat(3_000);
        assert!(plan.refuse_result("worker-a_result.json", &why).is_some());
        assert_eq!(plan.refuse_result("worker-a_result.json", &why), None);
        let mut stored = serde_json::to_value(&plan).unwrap();
        stored["notes"] =
            serde_json::json!(["as before", { "text": "new", "about": { "kind": "result_folder" } }]);
        let read: PlanRecord = serde_json::from_value(stored).unwrap();
        let note = |text: &str, about| Note {
            text: text.into(),
            about,
        };
        assert_eq!(
            read.notes,
            [note("as before", About::Plan), note("new", About::ResultFolder)]
        );
        let again = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<PlanRecord>(&again).unwrap(), read);
    }
}
