//! Reads the result files of a plan, which programs that do the tasks of its workers elsewhere write into a folder that the person
//! chose. One that names a branch counts as the person's own word does. They are read with bounds, and through no link.

use crate::decide::{plan_results as decide, plans};
use crate::effects::plans::by_hand;
use crate::host::blocking;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::PlanId;
use downbeat_plans::{About, MOST_RESULT, PlanRecord, ResultFolder, Told, read_result};
use downbeat_wire::ApiError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most files that count at a time. The others do at the next look.
const MOST: usize = 200;

/// How long ago a file that says nothing yet was written at the latest, if somebody may still be writing it.
const WRITING: Duration = Duration::from_secs(3);

/// A result file that was read.
struct Found {
    /// The place of the share that it is about.
    place: usize,
    /// Its name.
    file: String,
    /// What tells it from what stood there before.
    version: String,
    /// What it says, or what is wrong with it.
    says: Result<Told, Wrong>,
}

/// Why a file does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wrong {
    /// What it says is not a result, which only another version of it can be.
    Text(String),
    /// It cannot be read, or not safely.
    Unread(String),
}

/// What was read of a folder.
struct Read {
    found: Vec<Found>,
    /// The place of the share with which the next look begins.
    next: usize,
}

/// What does not count, and why.
enum Refused {
    /// Nothing of the folder.
    Folder(String),
    /// A file.
    File {
        file: String,
        /// The version that never will.
        version: Option<String>,
        why: String,
    },
}

/// Takes the result files that count. Repeating it changes nothing.
///
/// # Errors
/// Fails if nothing can be recorded, or if the folder or the repository does not answer; it is then tried again later.
pub(crate) async fn take(engine: &Engine, id: &PlanId) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let plan = state.plans.get(id).filter(|plan| plan.awaits_results()).cloned();
    let Some((plan, folder)) = plan.and_then(|plan| Some((plan.clone(), plan.results.clone()?))) else {
        return Ok(());
    };
    let (path, name) = (PathBuf::from(&folder.path), format!("the folder {}", folder.path));
    if let Some(why) = decide::refused(&state, engine.paths.root(), &path) {
        return refuse(engine, id, &[Refused::Folder(why)]).await;
    }
    let (own, known, now) = (plan.clone(), folder.clone(), SystemTime::now());
    let found = blocking::in_time(&name, move || read(&path, &own, &known, now)).await?;
    let Read { found, next } = match found {
        Ok(read) => read,
        Err(error) => return refuse(engine, id, &[Refused::Folder(error.to_string())]).await,
    };
    if next != folder.next || plan.notes.iter().any(|note| note.about == About::ResultFolder) {
        let written = engine.ledger.write(|draft| {
            plans::change(draft, id, |plan, _| {
                plan.forget_notes_about(&About::ResultFolder);
                let own = plan.results.as_mut().filter(|own| own.path == folder.path);
                if let Some(own) = own {
                    own.next = next;
                }
                Ok(())
            })
        });
        written.await?;
    }
    if found.is_empty() {
        return Ok(());
    }
    let mut refused = Vec::new();
    for one in found {
        if let Some(why) = count(engine, &plan, &one).await? {
            let never = matches!(one.says, Err(Wrong::Text(_)));
            refused.push(Refused::File {
                file: one.file,
                version: never.then_some(one.version),
                why,
            });
        }
    }
    refuse(engine, id, &refused).await
}

/// Reads the files of a folder that are there and say something, at most [`MOST`] that may count: the first ones after those of the
/// look before, so that each is read in time, whatever becomes of the others. Blocks.
fn read(folder: &Path, plan: &PlanRecord, known: &ResultFolder, now: SystemTime) -> io::Result<Read> {
    if dunce::canonicalize(folder)? != folder {
        return Err(io::Error::other("a link is in its place"));
    }
    let (mut found, mut counting) = (Vec::new(), 0);
    let mut files: Vec<(usize, String)> = plan.result_files().into_iter().enumerate().collect();
    let first = known.next.min(files.len());
    files.rotate_left(first);
    for (place, file) in files.into_iter().filter(|(place, _)| plan.awaits_result(*place)) {
        let path = folder.join(&file);
        // Most are not there yet.
        let Some((version, written)) = version(&path) else {
            continue;
        };
        if known.settled.get(&file) == Some(&version) {
            continue;
        }
        let says = match downbeat_files::read(&path, MOST_RESULT) {
            Ok(bytes) => read_result(&bytes, plan.id.as_str()).map_err(Wrong::Text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => Err(Wrong::Unread(error.to_string())),
        };
        let age = written.and_then(|at| now.duration_since(at).ok());
        if says == Ok(Told::Nothing) || says.is_err() && age.is_some_and(|age| age < WRITING) {
            continue;
        }
        counting += usize::from(says.is_ok());
        found.push(Found {
            place,
            file,
            version,
            says,
        });
        if counting == MOST {
            return Ok(Read {
                found,
                next: place + 1,
            });
        }
    }
    Ok(Read { found, next: 0 })
}

/// Returns what tells a file from what stood there before, and when it was written; nothing if there is none. Blocks.
fn version(path: &Path) -> Option<(String, Option<SystemTime>)> {
    let about = path.symlink_metadata().ok()?;
    let written = about.modified().ok();
    let at = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let version = format!("{} {}", at.unwrap_or_default().as_nanos(), about.len());
    Some((version, written))
}

/// Returns the versions of the result files that are in a folder. Blocks.
pub(crate) fn versions(folder: &Path, plan: &PlanRecord) -> BTreeMap<String, String> {
    let files = plan.result_files().into_iter();
    let there = files.filter_map(|file| {
        let (version, _) = version(&folder.join(&file))?;
        Some((file, version))
    });
    there.collect()
}

/// Records what follows from a result file; returns why it does not count.
async fn count(engine: &Engine, plan: &PlanRecord, found: &Found) -> Result<Option<String>, ApiError> {
    let tip = match &found.says {
        Err(Wrong::Text(why) | Wrong::Unread(why)) => return Ok(Some(why.clone())),
        Ok(Told::Nothing) => return Ok(None),
        Ok(Told::Failed { .. }) => None,
        Ok(Told::Done { branch }) => match commit(engine, plan, found.place, branch).await {
            Ok(commit) => Some(commit),
            Err(error) if decide::passes(&error) => return Err(error),
            Err(error) => return Ok(Some(error.message)),
        },
    };
    point("result-read");
    let written = engine.ledger.write(|draft| {
        plans::change(draft, &plan.id, |now_plan, now| {
            let is_same = now_plan.results.as_ref().map(|folder| &folder.path)
                == plan.results.as_ref().map(|folder| &folder.path)
                && now_plan.tips(found.place) == plan.tips(found.place)
                && now_plan.open_needs(found.place) == plan.open_needs(found.place);
            // What was done meanwhile may have to be in the branch, too: the next look decides.
            if !is_same {
                return Ok(());
            }
            let file = (found.file.as_str(), found.version.as_str());
            match (&found.says, tip) {
                (Ok(Told::Failed { why }), _) => now_plan.failed_by_file(found.place, file, why, now),
                (_, Some(tip)) => {
                    now_plan.done_by_file(found.place, file, tip, now);
                }
                _ => {}
            }
            Ok(())
        })
    });
    written.await?;
    point("result-counted");
    Ok(None)
}

async fn commit(engine: &Engine, plan: &PlanRecord, place: usize, branch: &str) -> Result<String, ApiError> {
    let project = engine.project(plan.project_of(place))?;
    by_hand::commit(&project, plan, place, branch).await
}

/// Notes which files do not count, and tells the person of what is new.
async fn refuse(engine: &Engine, id: &PlanId, refused: &[Refused]) -> Result<(), ApiError> {
    if refused.is_empty() {
        return Ok(());
    }
    let written = engine.ledger.write(|draft| {
        let new = plans::change(draft, id, |plan, _| {
            let mut new = Vec::new();
            for one in refused {
                match one {
                    Refused::Folder(why) => new.extend(plan.refuse_result_folder(why)),
                    Refused::File { file, version, why } => {
                        if let Some(version) = version {
                            plan.settle_result((file, version));
                        }
                        new.extend(plan.refuse_result(file, why));
                    }
                }
            }
            Ok(new)
        })?;
        let plan = draft.state().plans.get(id).cloned();
        if let Some(plan) = plan.filter(|_| !new.is_empty()) {
            let notice = decide::notice(&plan, &new, draft.now());
            draft.notice(notice);
        }
        Ok(())
    });
    written.await
}

#[cfg(test)]
mod tests {
    use super::{MOST, Wrong, read, version};
    use downbeat_model::{PlanId, ProjectId};
    use downbeat_plans::{Domains, PlanRecord, ResultFolder, Split, Told, read_goal};
    use jiff::Timestamp;
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    fn plan() -> PlanRecord {
        plan_of("a: x | b: y | c: z")
    }

    fn plan_of(goal: &str) -> PlanRecord {
        let read = read_goal(goal, &Domains::default()).unwrap();
        let (id, project) = ("pl000000000001", "p000000000001");
        let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
        PlanRecord::new(id, project, read, Split::Task, Timestamp::UNIX_EPOCH)
    }

    /// Writes a file as it was an hour ago.
    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(format!("worker-{name}_result.json"));
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600))
            .unwrap();
    }

    #[test]
    fn files_are_read_with_bounds_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        let plan = plan();
        let look = |settled: &BTreeMap<String, String>| -> Vec<(usize, Result<Told, Wrong>)> {
            let folder = ResultFolder {
                settled: settled.clone(),
                ..ResultFolder::default()
            };
            let read = read(&root, &plan, &folder, SystemTime::now()).unwrap();
            let found = read.found.into_iter();
            found.map(|one| (one.place, one.says)).collect()
        };
        assert_eq!(look(&BTreeMap::new()), []);
        write(&root, "a", r#"{"status": "done", "branch": "x"}"#);
        write(&root, "b", &"x".repeat(70_000));
        write(&root, "d", r#"{"status": "done", "branch": "x"}"#);
        fs::create_dir(root.join("worker-c_result.json")).unwrap();
        let found = look(&BTreeMap::new());
        let branch = "x".to_owned();
        assert_eq!(found[0], (0, Ok(Told::Done { branch })));
        let Err(Wrong::Unread(said)) = &found[1].1 else {
            panic!("{:?}", found[1]);
        };
        assert!(said.contains("longer than the 64 KB"), "{said}");
        let file = "worker-a_result.json".to_owned();
        let (known, _) = version(&root.join(&file)).unwrap();
        let settled = BTreeMap::from([(file, known)]);
        assert!(
            look(&settled).iter().all(|(place, _)| *place != 0),
            "it counts once"
        );
        write(&root, "a", r#"{"status": "failed"}"#);
        assert!(
            look(&settled).iter().any(|(place, _)| *place == 0),
            "it is another one"
        );
    }

    #[test]
    fn one_that_is_being_written_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        fs::write(root.join("worker-a_result.json"), r#"{"status": "do"#).unwrap();
        let look = |now| read(&root, &plan(), &ResultFolder::default(), now).unwrap().found;
        assert!(look(SystemTime::now()).is_empty());
        assert_eq!(look(SystemTime::now() + super::WRITING * 2).len(), 1);
    }

    #[test]
    fn files_that_say_nothing_keep_no_other_from_counting() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        let tasks: Vec<String> = (0..MOST + 20).map(|n| format!("d{n}: x{n}")).collect();
        let plan = plan_of(&tasks.join(" | "));
        for n in 0..MOST + 10 {
            write(&root, &format!("d{n}"), r#"{"status": "running"}"#);
        }
        let last = MOST + 15;
        write(&root, &format!("d{last}"), r#"{"status": "done", "branch": "x"}"#);
        let read = read(&root, &plan, &ResultFolder::default(), SystemTime::now()).unwrap();
        assert_eq!(read.found.iter().map(|one| one.place).collect::<Vec<_>>(), [last]);
        assert_eq!(read.next, 0);
    }

    #[test]
    fn files_that_are_refused_each_time_keep_no_other_from_being_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        let number = MOST + 50;
        let tasks: Vec<String> = (0..number).map(|n| format!("d{n}: x{n}")).collect();
        let plan = plan_of(&tasks.join(" | "));
        for n in 0..number {
            write(
                &root,
                &format!("d{n}"),
                r#"{"status": "done", "branch": "nowhere"}"#,
            );
        }
        // Nothing of it counts, so the plan stays as it is but for where the next look begins.
        let mut known = ResultFolder::default();
        let mut look = || {
            let read = read(&root, &plan, &known, SystemTime::now()).unwrap();
            known.next = read.next;
            let places: Vec<usize> = read.found.into_iter().map(|one| one.place).collect();
            places
        };
        assert_eq!(look(), (0..MOST).collect::<Vec<_>>());
        let second: Vec<usize> = (MOST..number).chain(0..MOST - 50).collect();
        assert_eq!(look(), second, "the others, then the first again");
        assert_eq!(look()[..50], (MOST - 50..MOST).collect::<Vec<_>>());
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = dunce::canonicalize(folder.path()).unwrap();
        let inner = root.join("inner");
        fs::create_dir(&inner).unwrap();
        write(&root, "a", r#"{"status": "done", "branch": "x"}"#);
        let link = inner.join("worker-a_result.json");
        std::os::unix::fs::symlink(root.join("worker-a_result.json"), &link).unwrap();
        // The link itself was just made.
        let later = SystemTime::now() + super::WRITING * 2;
        let known = ResultFolder::default();
        let found = read(&inner, &plan(), &known, later).unwrap().found;
        let Err(Wrong::Unread(said)) = &found[0].says else {
            panic!("{:?}", found[0].says);
        };
        assert!(said.contains("it is a link"), "{said}");
        let other = root.join("other");
        std::os::unix::fs::symlink(&inner, &other).unwrap();
        assert!(read(&other, &plan(), &known, later).is_err());
    }
}
