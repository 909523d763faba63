//! Makes a Windows console behave like other terminals: escape sequences in both directions, and UTF-8 bytes.
//! The old state is restored together with the terminal.
#![expect(
    unsafe_code,
    reason = "console modes have no safe interface; all pointers are to locals"
)]

use std::sync::Mutex;
use windows_sys::Win32::System::Console::{
    ENABLE_PROCESSED_OUTPUT, ENABLE_VIRTUAL_TERMINAL_INPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleCP,
    GetConsoleMode, GetConsoleOutputCP, GetStdHandle, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
    SetConsoleCP, SetConsoleMode, SetConsoleOutputCP,
};

/// The code page of UTF-8.
const UTF8: u32 = 65001;

/// The state of the console before: the modes of input and output, and their encodings.
struct Before {
    modes: [(STD_HANDLE, u32); 2],
    encodings: (u32, u32),
}

static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

fn mode(which: STD_HANDLE) -> Option<u32> {
    let mut mode = 0;
    let known = unsafe { GetConsoleMode(GetStdHandle(which), &mut mode) };
    (known != 0).then_some(mode)
}

fn set_mode(which: STD_HANDLE, mode: u32) {
    unsafe { SetConsoleMode(GetStdHandle(which), mode) };
}

/// Sets the modes and encodings. Call this before raw mode is entered.
pub(super) fn enter() {
    let (Some(input), Some(output)) = (mode(STD_INPUT_HANDLE), mode(STD_OUTPUT_HANDLE)) else {
        return;
    };
    let encodings = unsafe { (GetConsoleCP(), GetConsoleOutputCP()) };
    let before = Before {
        modes: [(STD_INPUT_HANDLE, input), (STD_OUTPUT_HANDLE, output)],
        encodings,
    };
    if let Ok(mut place) = BEFORE.lock() {
        *place = Some(before);
    }
    set_mode(STD_INPUT_HANDLE, input | ENABLE_VIRTUAL_TERMINAL_INPUT);
    set_mode(
        STD_OUTPUT_HANDLE,
        output | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING,
    );
    unsafe {
        SetConsoleCP(UTF8);
        SetConsoleOutputCP(UTF8);
    }
}

/// Restores the modes and encodings. Call this after raw mode was left.
pub(super) fn leave() {
    let before = BEFORE.lock().ok().and_then(|mut place| place.take());
    let Some(before) = before else { return };
    for (which, mode) in before.modes {
        set_mode(which, mode);
    }
    unsafe {
        SetConsoleCP(before.encodings.0);
        SetConsoleOutputCP(before.encodings.1);
    }
}
