//! Each warning once per process.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use crate::{Resolution, Warning};

/// The warnings that this process has heard. There are few: they are told apart by their content.
static HEARD: Mutex<Vec<Warning>> = Mutex::new(Vec::new());

impl Resolution {
    /// The warnings that this process has not been given by this method before, on any thread. Each
    /// is given to one caller only.
    pub fn take_new_warnings(&self) -> Vec<Warning> {
        if self.warnings.is_empty() {
            return Vec::new();
        }
        let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = Vec::new();
        for warning in &self.warnings {
            if !heard.contains(warning) {
                heard.push(warning.clone());
                new.push(warning.clone());
            }
        }
        new
    }

    /// Writes the [new warnings](Resolution::take_new_warnings) to standard error, a line for each.
    pub fn announce(&self) {
        for warning in self.take_new_warnings() {
            // Standard error that is closed has nobody to tell.
            let _ = writeln!(std::io::stderr(), "warning: {warning}");
        }
    }
}
