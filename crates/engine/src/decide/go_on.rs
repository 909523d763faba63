//! Whether a session that was ended to go on still does.

use downbeat_model::session::Then;
use downbeat_store::SessionRow;
use downbeat_wire::{ApiError, Code};

/// What is said where somebody stopped it meanwhile.
pub fn called_off(row: &SessionRow) -> ApiError {
    let text = format!(
        "{} was stopped meanwhile: it is {}",
        row.name,
        row.status.as_str()
    );
    ApiError::new(Code::Conflict, text).hint(format!("`downbeat resume {}` starts it again", row.name))
}

/// Of what was to happen after its end nothing is left but that it goes on: a crash behind this does
/// nothing twice. Refused where it was called off.
pub fn only_goes_on(row: &mut SessionRow) -> Result<(), ApiError> {
    if row.lineage.then.is_none() {
        return Err(called_off(row));
    }
    let rest = Then::Resume {
        model: None,
        permission: None,
    };
    row.lineage.then = Some(rest);
    Ok(())
}
