//! Old conversations, kept as long as the config says.

use std::ops::ControlFlow;

use hermes_state::{AutoPrune, AutoPruned, DeleteOptions, Retention};

use crate::error::Result;
use crate::hermes::Hermes;

impl Hermes {
    /// Deletes conversations that are older than `sessions:` in `config.yaml` says, if it says that
    /// this is to be done (`auto_prune`) and no program has done it of late; `None` if it does not
    /// say so. For programs that run for long, to be called at their start: opening a home never
    /// deletes anything.
    ///
    /// ```
    /// use hermes_kit::Hermes;
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("config.yaml"), "sessions: {auto_prune: true}\n")?;
    /// let hermes = Hermes::builder().home(folder.path()).open()?;
    /// let done = hermes.auto_prune()?.expect("the config wants it");
    /// assert!(done.deleted.ids.is_empty());
    /// assert!(hermes.auto_prune()?.expect("the config wants it").skipped);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) and [`Error::Settings`](crate::Error::Settings) of
    /// `config.yaml`, in which case nothing is deleted; [`Error::State`](crate::Error::State) of the
    /// store.
    pub fn auto_prune(&self) -> Result<Option<AutoPruned>> {
        let config = self.config()?.sessions()?;
        if !config.auto_prune {
            return Ok(None);
        }
        let mut policy = AutoPrune::default();
        policy.retention = Retention::days(f64::from(config.retention_days))?;
        policy.min_interval_hours = config.min_interval.as_secs_f64() / 3600.0;
        policy.vacuum = config.vacuum_after_prune;
        policy.delete = DeleteOptions::new().files_in(self.home().sessions_dir());
        let done = self
            .store()?
            .auto_prune(&policy, &mut |_| ControlFlow::Continue(()))?;
        Ok(Some(done))
    }
}
