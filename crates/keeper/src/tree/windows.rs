//! The process tree as a job: the keeper puts itself into one before any child runs, children are
//! born into it, and it ends with the keeper.

use downbeat_model::id::SessionId;
use windows_sys::Win32::Foundation::{CloseHandle, HANDLE};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, IsProcessInJob, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_PROCESS_ID_LIST, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_TERMINATE, TerminateProcess,
};

/// Processes that one job list holds; more are met in the next look.
const LISTED: usize = 1024;

/// The job lives as long as this process: the handle is never closed by us.
pub fn adopt_orphans() {
    #[expect(
        unsafe_code,
        reason = "job objects have no safe interface; all pointers are to locals"
    )]
    unsafe {
        let job: HANDLE = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if job.is_null() {
            return;
        }
        let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = std::mem::zeroed();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = std::mem::size_of_val(&limits) as u32;
        SetInformationJobObject(
            job,
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size,
        );
        AssignProcessToJobObject(job, GetCurrentProcess());
    }
}

#[repr(C)]
struct List {
    head: JOBOBJECT_BASIC_PROCESS_ID_LIST,
    more: [usize; LISTED],
}

/// Everything in the job of the calling keeper.
pub fn own(_session: &SessionId, _child: Option<u32>) -> Vec<u32> {
    #[expect(unsafe_code, reason = "the list is a plain buffer that the system fills")]
    let list = unsafe {
        let mut list: List = std::mem::zeroed();
        let size = std::mem::size_of::<List>() as u32;
        // No job handle means the job of the calling process.
        QueryInformationJobObject(
            std::ptr::null_mut(),
            JobObjectBasicProcessIdList,
            (&raw mut list).cast(),
            size,
            std::ptr::null_mut(),
        );
        list
    };
    let count = (list.head.NumberOfProcessIdsInList as usize).min(LISTED);
    let ids = list.head.ProcessIdList.iter().chain(&list.more).take(count);
    ids.map(|id| *id as u32)
        .filter(|pid| *pid != std::process::id())
        .collect()
}

/// A job ends with its keeper: nothing is left.
pub fn marked(_session: &SessionId, recorded: &[u32]) -> Vec<u32> {
    recorded.iter().copied().filter(|pid| in_some_job(*pid)).collect()
}

fn in_some_job(pid: u32) -> bool {
    #[expect(unsafe_code, reason = "a handle is opened and closed; the result is a local")]
    unsafe {
        let process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
        if process.is_null() {
            return false;
        }
        let mut inside = 0;
        IsProcessInJob(process, std::ptr::null_mut(), &mut inside);
        CloseHandle(process);
        inside != 0
    }
}

/// Consoles have no gentle end for a whole tree: closing the pseudo console asks.
pub fn ask(_pid: u32) {}

/// Ends a process.
pub fn kill(pid: u32) {
    #[expect(unsafe_code, reason = "a handle is opened, used and closed")]
    unsafe {
        let process = OpenProcess(PROCESS_TERMINATE, 0, pid);
        if !process.is_null() {
            TerminateProcess(process, 1);
            CloseHandle(process);
        }
    }
}
