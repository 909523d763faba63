//! The address of a keeper, and access control: a Unix socket in a directory of mode 0700, whose
//! peer must be the same user; on Windows, a named pipe that only the user can open.

#[cfg(unix)]
#[path = "socket_far.rs"]
mod far;

use crate::error::Error;
use interprocess::ConnectWaitMode;
use interprocess::local_socket::{ConnectOptions, Listener, ListenerOptions, Stream, prelude::*};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest socket path in bytes: macOS allows 104 with the final zero.
#[cfg(unix)]
const PATH_BYTES: usize = 100;

/// The file that a keeper locks while it checks for another keeper and starts to listen.
const LOCK: &str = "sock.lock";

/// The file that holds the path of a socket outside the directory, used if the directory's path is too long.
const ELSEWHERE: &str = "socket-path";

/// The maximum number of bytes that are read of a socket's path.
const LONGEST: u64 = 4 << 10;

/// Creates a directory that only its owner can enter.
#[cfg(unix)]
pub fn private_dir(dir: &Path) -> Result<(), Error> {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    let mut builder = std::fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(dir);
    made.and_then(|()| std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)))
        .map_err(Error::path(dir))
}

/// Creates a directory that only its owner can enter. An existing directory stays as it is.
#[cfg(windows)]
pub fn private_dir(dir: &Path) -> Result<(), Error> {
    crate::windows::create_dir(dir).map_err(Error::path(dir))
}

#[cfg(unix)]
fn choose(dir: &Path) -> Result<PathBuf, Error> {
    let near = dir.join("sock");
    if near.as_os_str().len() < PATH_BYTES {
        return Ok(near);
    }
    let name = dir.file_name().unwrap_or_default();
    let base = far::folder()?;
    // Two data directories may contain the same session name; the inode tells them apart.
    let inode = std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(dir).map_err(Error::path(dir))?);
    Ok(base.join(format!("{}-{inode:x}", name.to_string_lossy())))
}

#[cfg(windows)]
fn choose(dir: &Path) -> Result<PathBuf, Error> {
    use std::hash::{Hash as _, Hasher as _};
    let mut hasher = std::hash::DefaultHasher::new();
    dir.hash(&mut hasher);
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    Ok(PathBuf::from(format!(
        r"\\.\pipe\downbeat-{name}-{:x}",
        hasher.finish()
    )))
}

/// Returns the folder of the sockets of keepers below `keepers`, if that path is too long.
#[cfg(unix)]
pub fn sockets_elsewhere(keepers: &Path) -> Result<Option<PathBuf>, Error> {
    let near = keepers.join("s000000000000").join("sock");
    match near.as_os_str().len() < PATH_BYTES {
        true => Ok(None),
        false => {
            let folder = far::folder()?;
            // A folder with a fresh name is created again for each socket.
            far::leave(&folder.join("sock"));
            Ok(Some(folder))
        }
    }
}

/// Returns `None`: pipes are not in a folder.
#[cfg(windows)]
pub fn sockets_elsewhere(_: &Path) -> Result<Option<PathBuf>, Error> {
    Ok(None)
}

/// Returns the path of the socket of the keeper in `dir`.
fn address(dir: &Path) -> Result<PathBuf, Error> {
    match downbeat_files::read(&dir.join(ELSEWHERE), LONGEST) {
        Ok(path) => Ok(PathBuf::from(String::from_utf8_lossy(&path).into_owned())),
        // A long path cannot be a socket: without a path elsewhere, no keeper ever listened.
        #[cfg(unix)]
        Err(error) => match dir.join("sock") {
            near if near.as_os_str().len() < PATH_BYTES => Ok(near),
            _ => Err(gone(error)),
        },
        // A pipe is not in the directory: without its name, no keeper listens.
        #[cfg(windows)]
        Err(error) => Err(gone(error)),
    }
}

fn name(path: &Path) -> Result<interprocess::local_socket::Name<'_>, Error> {
    Ok(path.to_fs_name::<interprocess::local_socket::GenericFilePath>()?)
}

/// Listens in `dir`.
///
/// # Errors
///
/// Fails if another keeper already listens there.
pub fn listen(dir: &Path) -> Result<Listener, Error> {
    let path = choose(dir)?;
    let lock = dir.join(LOCK);
    if lock.symlink_metadata().is_ok_and(|about| !about.is_file()) {
        drop(std::fs::remove_file(&lock));
    }
    let (lock, _) = downbeat_files::append(&lock).map_err(Error::path(dir))?;
    lock.lock()?;
    if path != dir.join("sock") {
        downbeat_files::begin(&dir.join(ELSEWHERE))
            .and_then(|mut file| file.write_all(path.as_os_str().as_encoded_bytes()))
            .map_err(Error::path(dir))?;
    }
    if ConnectOptions::new().name(name(&path)?).connect_sync().is_ok() {
        return Err(Error::Start(
            "another keeper already serves this session".to_owned(),
        ));
    }
    #[cfg(unix)]
    drop(std::fs::remove_file(&path));
    let options = ListenerOptions::new().name(name(&path)?);
    #[cfg(windows)]
    let options = {
        use interprocess::os::windows::local_socket::ListenerOptionsExt as _;
        options.security_descriptor(crate::windows::for_pipe()?)
    };
    let listener = options.create_sync()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))
            .map_err(Error::path(&path))?;
    }
    Ok(listener)
}

/// Removes the files that [`listen`] left on disk.
pub fn unlist(dir: &Path) {
    #[cfg(unix)]
    if let Ok(path) = address(dir) {
        drop(std::fs::remove_file(&path));
        far::leave(&path);
    }
    drop(std::fs::remove_file(dir.join(ELSEWHERE)));
}

fn gone(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Error::Gone,
        _ => Error::Io(error),
    }
}

/// Connects to the keeper in `dir`; blocks.
pub fn connect(dir: &Path) -> Result<Stream, Error> {
    let path = address(dir)?;
    let stream = ConnectOptions::new()
        .name(name(&path)?)
        .connect_sync()
        .map_err(gone)?;
    check(&stream)?;
    Ok(stream)
}

/// Makes the keeper in `dir` check its spool, without waiting for it. A keeper whose queue is full checks
/// the spool when it has emptied the queue.
pub fn knock(dir: &Path) {
    let Ok(path) = address(dir) else { return };
    let Ok(name) = name(&path) else { return };
    // On Unix, the connection waits for nobody. Windows has no such option, and does not wait either.
    let at_once = ConnectWaitMode::Timeout(Duration::ZERO);
    drop(ConnectOptions::new().name(name).wait_mode(at_once).connect_sync());
}

/// Connects to the keeper in `dir`.
pub async fn connect_async(dir: &Path) -> Result<interprocess::local_socket::tokio::Stream, Error> {
    use interprocess::local_socket::traits::tokio::Stream as _;
    let dir = dir.to_owned();
    // The disk may be slow.
    let path = tokio::task::spawn_blocking(move || address(&dir));
    let path = path.await.map_err(io::Error::other)??;
    let stream = interprocess::local_socket::tokio::Stream::connect(name(&path)?)
        .await
        .map_err(gone)?;
    check(&stream)?;
    Ok(stream)
}

/// Fails if the peer is another user.
#[cfg(unix)]
pub fn check(stream: &impl interprocess::local_socket::traits::StreamCommon) -> Result<(), Error> {
    let uid = stream.peer_creds()?.euid();
    if uid.is_some_and(|uid| uid != rustix::process::geteuid().as_raw()) {
        return Err(Error::ForeignUser);
    }
    Ok(())
}

/// The common interface of both kinds of stream on Windows.
#[cfg(windows)]
pub trait Pipe {
    /// Returns the handle of the pipe.
    fn handle(&self) -> std::os::windows::io::BorrowedHandle<'_>;
}

#[cfg(windows)]
impl Pipe for Stream {
    fn handle(&self) -> std::os::windows::io::BorrowedHandle<'_> {
        let Self::NamedPipe(pipe) = self;
        std::os::windows::io::AsHandle::as_handle(pipe)
    }
}

#[cfg(windows)]
impl Pipe for interprocess::local_socket::tokio::Stream {
    fn handle(&self) -> std::os::windows::io::BorrowedHandle<'_> {
        let Self::NamedPipe(pipe) = self;
        std::os::windows::io::AsHandle::as_handle(pipe)
    }
}

/// Fails if another user created the pipe. (The pipe's descriptor keeps out clients of other users.)
#[cfg(windows)]
pub fn check(stream: &impl Pipe) -> Result<(), Error> {
    match crate::windows::is_ours(stream.handle())? {
        true => Ok(()),
        false => Err(Error::ForeignUser),
    }
}

/// Shuts down the connection for both sides; this also wakes a thread that waits to read or write.
#[cfg(unix)]
pub fn shut(stream: &Stream) {
    use std::os::fd::AsFd as _;
    let Stream::UdSocket(inner) = stream;
    let _ = rustix::net::shutdown(inner.as_fd(), rustix::net::Shutdown::Both);
}

/// Does nothing: pipes have no such call. The client is gone once it closes the pipe itself.
#[cfg(windows)]
pub fn shut(_: &Stream) {}

/// Reports whether a client waits to be accepted.
#[cfg(unix)]
pub fn is_awaited(listener: &Listener) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let Listener::UdSocket(inner) = listener;
    let at_once = Timespec::default();
    poll(&mut [PollFd::new(inner, PollFlags::IN)], Some(&at_once)).is_ok_and(|ready| ready > 0)
}

/// Returns `false`: pipes cannot be asked.
#[cfg(windows)]
pub fn is_awaited(_: &Listener) -> bool {
    false
}

/// Receives what has arrived, and waits at most `patience` for it to start. Returns the number of bytes.
#[cfg(unix)]
pub fn receive_now(stream: &Stream, bytes: &mut [u8], patience: Duration) -> io::Result<usize> {
    use rustix::event::{PollFd, PollFlags, poll};
    use std::os::fd::AsFd as _;
    let Stream::UdSocket(inner) = stream;
    let now = |bytes: &mut [u8]| rustix::net::recv(inner.as_fd(), bytes, rustix::net::RecvFlags::DONTWAIT);
    let taken = match now(bytes) {
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let patience = rustix::time::Timespec::try_from(patience).map_err(io::Error::other)?;
            poll(&mut [PollFd::new(inner, PollFlags::IN)], Some(&patience))?;
            now(bytes)
        }
        taken => taken,
    };
    match taken {
        Ok((taken, _)) => Ok(taken),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(0),
        Err(e) => Err(e.into()),
    }
}

/// Receives nothing: pipes have no such call, and each client has a thread that waits.
#[cfg(windows)]
pub fn receive_now(_: &Stream, _: &mut [u8], _: Duration) -> io::Result<usize> {
    Ok(0)
}

/// Sends as much as the socket accepts now. Returns the number of bytes.
#[cfg(unix)]
pub fn send_now(stream: &Stream, bytes: &[u8]) -> io::Result<usize> {
    use std::os::fd::AsFd as _;
    let Stream::UdSocket(inner) = stream;
    #[cfg(target_os = "linux")]
    let flags = rustix::net::SendFlags::DONTWAIT | rustix::net::SendFlags::NOSIGNAL;
    #[cfg(not(target_os = "linux"))]
    let flags = rustix::net::SendFlags::DONTWAIT;
    match rustix::net::send(inner.as_fd(), bytes, flags) {
        Ok(sent) => Ok(sent),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(0),
        Err(e) => Err(e.into()),
    }
}

/// Sends nothing: pipes have no such call, and everything goes through the writer.
#[cfg(windows)]
pub fn send_now(_: &Stream, _: &[u8]) -> io::Result<usize> {
    Ok(0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_one_of_two_concurrently_started_keepers_listens() {
        for _ in 0..200 {
            let dir = tempfile::tempdir().unwrap();
            let start = std::sync::Barrier::new(2);
            let listen = || {
                start.wait();
                listen(dir.path())
            };
            let (one, two) = std::thread::scope(|scope| {
                let other = scope.spawn(listen);
                (listen(), other.join().unwrap())
            });
            assert!(one.is_ok() != two.is_ok(), "{:?} and {:?}", one.err(), two.err());
            assert!(connect(dir.path()).is_ok());
        }
    }

    #[test]
    fn connecting_without_a_socket_fails_at_any_length_of_path() {
        let dir = tempfile::tempdir().unwrap();
        for length in [1, PATH_BYTES, 255] {
            let deep = dir.path().join("d".repeat(length)).join("s1");
            std::fs::create_dir_all(&deep).unwrap();
            assert!(matches!(connect(&deep), Err(Error::Gone)), "{length}");
            let listener = listen(&deep).unwrap();
            assert!(connect(&deep).is_ok(), "{length}");
            drop(listener);
            unlist(&deep);
            assert!(matches!(connect(&deep), Err(Error::Gone)), "{length}");
        }
    }

    #[test]
    fn a_socket_outside_its_directory_outlives_the_login() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("d".repeat(PATH_BYTES)).join("s1");
        std::fs::create_dir_all(&deep).unwrap();
        let listener = listen(&deep).unwrap();
        assert!(address(&deep).unwrap().starts_with("/tmp"));
        assert!(connect(&deep).is_ok());
        drop(listener);
        unlist(&deep);
    }
}
