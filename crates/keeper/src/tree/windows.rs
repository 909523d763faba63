//! The process tree as a job: the keeper puts itself into one before any child runs, children are
//! born into it and cannot leave it, and it ends with the keeper.

use super::process::Known;
use downbeat_model::id::SessionId;
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

/// Processes that one job list holds; more are met in the next look.
const LISTED: usize = 1024;

/// The only handle to the job: the system closes it with this process, and ends the job.
static JOB: OnceLock<OwnedHandle> = OnceLock::new();

/// Puts this process, and so everything that it will start, into a job. A keeper without one
/// could not end what it started, and must not start anything.
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
    // A second call would find this process in a job of its own already.
    drop(JOB.set(job));
    Ok(())
}

#[repr(C)]
struct List {
    head: JOBOBJECT_BASIC_PROCESS_ID_LIST,
    more: [usize; LISTED],
}

/// Everything in the job of the calling keeper. Never asked of "the job of this process": where
/// it has none of its own, that would be its launcher's, with everything in it.
pub fn own(_session: &SessionId, _known: &[Known]) -> Vec<Known> {
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
        // No number of the job is another's: it is asked anew at each look.
        started: 0,
    })
    .filter(|one| one.pid != std::process::id())
    .collect()
}

/// Nobody needs to know later: a job ends with its keeper.
pub fn known(_pid: u32) -> Option<Known> {
    None
}

/// The job ended with its keeper: nothing is left.
pub fn left(_session: &SessionId, _known: &[Known], _is_ours: &dyn Fn(u32) -> bool) -> Vec<Known> {
    Vec::new()
}

/// Consoles have no gentle end for one process: the keeper closes the pseudo console, which asks
/// everything on it.
pub fn ask(_pid: u32) {}

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

/// Nothing: see the head of the module for how a tree is found here.
pub fn unmarked(_: &SessionId) -> Vec<Known> {
    Vec::new()
}
