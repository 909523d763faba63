//! The process tree as a job. The keeper puts itself into a job before any child runs; children are born
//! into the job, cannot leave it, and end with the keeper.

use super::process::Known;
use downbeat_model::id::SessionId;
use std::collections::HashSet;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::sync::OnceLock;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_PROCESS_ID_LIST, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, PROCESS_TERMINATE, TerminateProcess,
};

/// The maximum number of processes in one list of a job; further ones are found in the next look.
const LISTED: usize = 1024;

/// The only handle to the job. The system closes it when this process ends, which ends the job.
static JOB: OnceLock<OwnedHandle> = OnceLock::new();

/// Puts this process, and so everything that it will start, into a job. A keeper without a job could not
/// end what it started, and must not start anything.
pub fn enter_job() -> io::Result<()> {
    #[expect(
        unsafe_code,
        reason = "job objects have no safe interface; all pointers are to locals"
    )]
    let job = unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        let job = OwnedHandle::from_raw_handle(job);
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = std::mem::zeroed();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = size_of_val(&limits) as u32;
        let limits = (&raw const limits).cast();
        let raw = job.as_raw_handle();
        if SetInformationJobObject(raw, JobObjectExtendedLimitInformation, limits, size) == 0
            || AssignProcessToJobObject(raw, GetCurrentProcess()) == 0
        {
            return Err(io::Error::last_os_error());
        }
        job
    };
    // A second call would find this process already in its own job.
    drop(JOB.set(job));
    Ok(())
}

#[repr(C)]
struct List {
    head: JOBOBJECT_BASIC_PROCESS_ID_LIST,
    more: [usize; LISTED],
}

/// Returns everything in the job of the calling keeper. Never queries "the job of this process": if the
/// keeper has no job, that would be the launcher's, with everything in it.
pub fn own(_session: &SessionId, _known: &HashSet<Known>) -> Vec<Known> {
    let Some(job) = JOB.get() else { return Vec::new() };
    #[expect(unsafe_code, reason = "the list is a plain buffer that the system fills")]
    let list = unsafe {
        let mut list: List = std::mem::zeroed();
        let size = size_of::<List>() as u32;
        QueryInformationJobObject(
            job.as_raw_handle(),
            JobObjectBasicProcessIdList,
            (&raw mut list).cast(),
            size,
            std::ptr::null_mut(),
        );
        list
    };
    let count = (list.head.NumberOfProcessIdsInList as usize).min(LISTED);
    let ids = list.head.ProcessIdList.iter().chain(&list.more).take(count);
    ids.map(|id| Known {
        pid: *id as u32,
        // No start time is needed: the job is queried again at each look, so no id is another process's.
        started: 0,
    })
    .filter(|one| one.pid != std::process::id())
    .collect()
}

/// Returns `None`: a job ends with its keeper, so no process has to be found later.
pub fn known(_pid: u32) -> Option<Known> {
    None
}

/// Returns nothing: the job ended with its keeper.
pub fn left(_session: &SessionId, _known: &HashSet<Known>, _is_ours: &dyn Fn(u32) -> bool) -> Vec<Known> {
    Vec::new()
}

/// Does nothing: a single process cannot be asked to end. The keeper closes the pseudo console, which asks
/// everything on it.
pub fn ask(_pid: u32) {}

/// Does nothing: Windows cannot stop a process as a whole.
pub fn stop(_pid: u32) {}

/// Ends a process.
pub fn kill(pid: u32) {
    #[expect(unsafe_code, reason = "a handle is opened, owned and used")]
    unsafe {
        let process = OpenProcess(PROCESS_TERMINATE, 0, pid);
        if !process.is_null() {
            let process = OwnedHandle::from_raw_handle(process);
            TerminateProcess(process.as_raw_handle(), 1);
        }
    }
}

/// Returns nothing: the head of the module says how a tree is found on Windows.
pub fn unmarked(_: &SessionId) -> Vec<Known> {
    Vec::new()
}
