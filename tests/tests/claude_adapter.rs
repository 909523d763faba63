//! Tests of the Claude Code adapter with the real program in a terminal, started by the adapter's own command
//! line, against a model on loopback: what its hooks report, and what its screen shows if no hook does.
//!
//! `real_agents` installs the program.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use downbeat_agents::{
    AgentFiles, Agents, Launch, LaunchRequest, Manifest, Mode, Program, grant_trust, launch, message_bytes,
    read_post, screen_question, title_works,
};
use downbeat_keeper::Screen;
use downbeat_model::{FactKind, PermissionMode, QuestionKind, SessionId};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::real_agents::{self, skipped};
use jiff::Timestamp;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::json;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The maximum time for anything; a cold start of the program takes seconds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);
/// The interval between checks of a predicate.
const LOOK: Duration = Duration::from_millis(20);
const SIZE: PtySize = PtySize {
    rows: 40,
    cols: 120,
    pixel_width: 0,
    pixel_height: 0,
};

/// A stand-in for `downbeat`: `<receiver> hook` appends the post to the file `$POSTS`.
const RECEIVER: &str =
    "#!/bin/sh\n[ \"$1\" = hook ] || exit 9\nbody=$(cat)\nprintf '%s\\n' \"$body\" >>\"$POSTS\"\n";

fn claude() -> Arc<Manifest> {
    Arc::clone(Agents::new("/bin/sh", []).get("claude").unwrap())
}

/// A home directory, a repository with a worktree outside of it, and a receiver of hooks.
struct Ground {
    dir: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl Ground {
    fn new(model: &ModelServer) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut env = model.claude_home(&dir.path().join("home")).unwrap();
        env.push(("POSTS".into(), dir.path().join("posts").to_str().unwrap().into()));
        env.push(("PATH".into(), std::env::var("PATH").unwrap()));
        let ground = Self { dir, env };
        let git = |args: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=T", "-c", "user.email=t@example.org"]);
            git.args(args).current_dir(ground.dir.path());
            assert!(
                git.env("HOME", ground.home()).status().unwrap().success(),
                "{args:?}"
            );
        };
        git(&["init", "-q", "repo"]);
        git(&["-C", "repo", "commit", "-q", "--allow-empty", "-m", "first"]);
        git(&["-C", "repo", "worktree", "add", "-q", "../trees/shop/one"]);
        let cli = ground.cli();
        std::fs::create_dir_all(cli.parent().unwrap()).unwrap();
        std::fs::write(&cli, RECEIVER).unwrap();
        std::fs::set_permissions(&cli, std::fs::Permissions::from_mode(0o755)).unwrap();
        ground
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn files(&self) -> AgentFiles {
        AgentFiles {
            home: self.home(),
            ..AgentFiles::default()
        }
    }

    /// Returns the folder that a project's trust names.
    fn repository(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn workspace(&self) -> PathBuf {
        self.dir.path().join("trees/shop/one")
    }

    /// Returns the path of the receiver, which breaks in a shell without quoting.
    fn cli(&self) -> PathBuf {
        self.dir.path().join("it's $(here) \"now\"/downbeat")
    }

    fn launch(&self, prompt: &str) -> Launch {
        let session = SessionId::random().unwrap();
        let program = Program::plain(real_agents::program("claude"));
        let request = LaunchRequest {
            session: &session,
            mode: Mode::Fresh,
            prompt,
            model: None,
            permission: PermissionMode::Ask,
            conductor: None,
            tools: false,
            worker_of: Some("boss"),
            in_place: false,
            cli: &self.cli(),
            workspace: &self.workspace(),
            program: &program,
            name: "one",
            trusted: true,
            hook_trust: &std::collections::BTreeMap::new(),
            once: false,
        };
        // The prompt is an argument, since no engine is here to type it once the tools are listed.
        let mut agent = (*claude()).clone();
        agent.prompt_after_tools = false;
        launch(&agent, &request).unwrap()
    }

    /// Returns the facts that hooks reported so far. A line that is not complete yet is skipped.
    fn told(&self) -> Vec<FactKind> {
        let posts = std::fs::read_to_string(self.dir.path().join("posts")).unwrap_or_default();
        let whole = posts.lines().filter(|line| line.ends_with('}'));
        let facts = whole.filter_map(|post| read_post(&claude(), post, Timestamp::UNIX_EPOCH).facts.ok());
        facts.flatten().map(|fact| fact.kind).collect()
    }

    fn wait(&self, terminal: &Terminal, what: &str, seen: impl Fn(&[FactKind]) -> bool) {
        terminal.wait(what, || seen(&self.told()));
    }
}

/// A terminal in which the program runs.
struct Terminal {
    screen: Arc<Mutex<Screen>>,
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    fn start(ground: &Ground, launch: &Launch) -> Self {
        let pair = native_pty_system().openpty(SIZE).unwrap();
        let mut command = CommandBuilder::new(&launch.argv[0]);
        command.args(&launch.argv[1..]);
        command.cwd(ground.workspace());
        command.env_clear();
        for (name, value) in ground.env.iter().chain(&launch.env) {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let screen = Arc::new(Mutex::new(Screen::new(SIZE.cols, SIZE.rows, 100)));
        let writer = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (fed, answering) = (Arc::clone(&screen), Arc::clone(&writer));
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut bytes) {
                let answers = fed.lock().unwrap().feed(&bytes[..n]);
                if !answers.is_empty() && answering.lock().unwrap().write_all(&answers).is_err() {
                    return;
                }
            }
        });
        Self {
            screen,
            writer,
            child,
            _master: pair.master,
        }
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().text(u32::from(SIZE.rows))
    }

    fn title(&self) -> String {
        self.screen.lock().unwrap().title().to_owned()
    }

    fn write(&self, bytes: &[u8]) {
        self.writer.lock().unwrap().write_all(bytes).unwrap();
    }

    fn wait(&self, what: &str, seen: impl Fn() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !seen() {
            assert!(Instant::now() < until, "no {what}; the screen:\n{}", self.text());
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The program may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(facts: &[FactKind], wanted: &FactKind) -> usize {
    facts.iter().filter(|fact| *fact == wanted).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_report_a_turn_with_a_question_and_trust_covers_worktrees() {
    if skipped() {
        return;
    }
    let touch = Step::call(
        "Bash",
        json!({"command": "touch made.txt", "description": "make it"}),
    );
    let script = Script::new().when("make the file", [touch, Step::say("Made.")]);
    let model = ModelServer::start(script).await.unwrap();
    let ground = Ground::new(&model);
    grant_trust(&ground.files(), &ground.repository()).unwrap();
    let launch = ground.launch("make the file");
    let terminal = Terminal::start(&ground, &launch);

    ground.wait(&terminal, "question", |told| {
        matches!(told.last(), Some(FactKind::Asked(_)))
    });
    let told = ground.told();
    assert_eq!(told[0], FactKind::Ready(launch.conversation.clone()));
    assert_eq!(told[1..3], [FactKind::TurnStarted, FactKind::Working]);
    let Some(FactKind::Asked(question)) = told.last() else {
        unreachable!()
    };
    assert_eq!(question.kind, QuestionKind::Permission);
    assert_eq!(question.text, "Bash: touch made.txt");
    assert!(model.turns()[0].system.contains("You are a worker in Downbeat"));

    terminal.wait("question on the screen", || {
        screen_question(&claude(), &terminal.text()).is_some()
    });
    let shown = screen_question(&claude(), &terminal.text()).unwrap().question;
    assert_eq!(
        (shown.options[0].as_str(), shown.kind),
        ("Yes", QuestionKind::Permission)
    );
    terminal.wait("title at rest", || {
        title_works(&claude(), &terminal.title()) == Some(false)
    });

    terminal.write(b"\r");
    ground.wait(&terminal, "end", |told| told.last() == Some(&FactKind::TurnEnded));
    assert!(ground.workspace().join("made.txt").exists());
    assert_eq!(model.turns().last().unwrap().prompt, "make the file");
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_arrive_as_text_and_run_no_commands() {
    if skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let ground = Ground::new(&model);
    grant_trust(&ground.files(), &ground.repository()).unwrap();
    let terminal = Terminal::start(&ground, &ground.launch("--help"));
    ground.wait(&terminal, "end", |told| count(told, &FactKind::TurnEnded) == 1);

    let long = "0123456789 ".repeat(10_000);
    let messages = [
        ("/clear", "> /clear"),
        ("!touch bang", "!touch bang"),
        (
            "two\nlines \u{1f389}\x1b[201~\x03 $(touch shell)",
            "lines \u{1f389}[201~ $(touch shell)",
        ),
        (long.as_str(), long.trim_end()),
    ];
    for (n, (message, arrives)) in messages.into_iter().enumerate() {
        terminal.write(&message_bytes(&claude(), message));
        ground.wait(&terminal, "end", |told| {
            count(told, &FactKind::TurnEnded) == n + 2
        });
        let prompt = model.turns().last().unwrap().prompt.clone();
        assert!(
            prompt.contains(arrives),
            "{}",
            prompt.chars().take(300).collect::<String>()
        );
    }
    let told = ground.told();
    assert_eq!(
        told.iter()
            .filter(|fact| matches!(fact, FactKind::Ready(_)))
            .count(),
        1
    );
    for name in ["bang", "shell"] {
        assert!(!ground.workspace().join(name).exists(), "{name} ran");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_trust_the_screen_shows_the_question_and_no_hook_fires() {
    if skipped() {
        return;
    }
    let model = ModelServer::start(Script::new()).await.unwrap();
    let ground = Ground::new(&model);
    let terminal = Terminal::start(&ground, &ground.launch("make the file"));
    terminal.wait("question", || {
        screen_question(&claude(), &terminal.text()).is_some()
    });
    let question = screen_question(&claude(), &terminal.text()).unwrap().question;
    assert_eq!(question.kind, QuestionKind::Trust);
    assert!(question.text.contains("trees/shop/one"), "{}", question.text);
    assert_eq!(question.options.len(), 2, "{:?}", question.options);
    assert!(ground.told().is_empty());
    assert!(model.turns().is_empty());
}
