//! Who can write to the home, and who else can read the files in it that hold secrets. Those of the
//! store are the store's matter.

use hermes_kit::Hermes;

use super::finding::Exam;

#[cfg(unix)]
pub(super) fn examine(hermes: &Hermes, exam: &mut Exam) {
    use std::os::unix::fs::PermissionsExt;

    use rustix::fs::{Access, access};

    use super::finding::Finding;

    let home = hermes.home();
    let mode = |path: &std::path::Path| {
        let metadata = path.metadata().ok()?;
        Some(metadata.permissions().mode() & 0o777)
    };
    if home.path().is_dir() && access(home.path(), Access::WRITE_OK).is_err() {
        let message = format!(
            "{} cannot be written: nothing is recorded there, and no approval kept",
            home.display()
        );
        let remedy = "give yourself the right to write there, or use another home with --home";
        exam.find(Finding::warning("home_read_only", "home", message).remedy(remedy));
    }
    // Nobody reaches what is in a folder that they cannot pass.
    if mode(home.path()).is_none_or(|folder| folder & 0o011 == 0) {
        return;
    }
    for path in [home.env_file(), home.config_file()] {
        let Some(found) = mode(&path).filter(|found| found & 0o066 != 0) else {
            continue;
        };
        let shown = home.display_path(&path);
        let message = format!("others can read or change {shown}: its mode is {found:03o}");
        exam.find(
            Finding::warning("file_modes", "home", message).remedy(format!("chmod 600 {shown}")),
        );
    }
}

#[cfg(not(unix))]
pub(super) fn examine(_: &Hermes, _: &mut Exam) {}
