//! The list of background processes, by which a program that is started again finds them.

use hermes_kit::Hermes;
use serde_json::Value;

use super::finding::{Exam, Finding};

pub(super) fn examine(hermes: &Hermes, exam: &mut Exam) {
    const AREA: &str = "processes";
    let path = hermes.home().processes_file();
    let shown = hermes.home().display_path(&path);
    let problem = match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => format!("cannot be read: {error}"),
        Ok(bytes) => match serde_json::from_slice(&bytes) {
            Ok(Value::Array(processes)) => {
                exam.line(
                    AREA,
                    format!("{} in the background, in {shown}", processes.len()),
                );
                return;
            }
            Ok(_) => "is no list".to_owned(),
            Err(error) => format!("is no JSON: {error}"),
        },
    };
    let finding = Finding::warning("bad_processes", AREA, format!("{shown} {problem}"));
    exam.find(finding.remedy("move it away; processes of earlier runs are not found again then"));
}
