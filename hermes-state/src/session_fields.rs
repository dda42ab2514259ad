//! Changing single fields of a session that is there.

use rusqlite::{named_params, params};

use crate::error::{Error, Result};
use crate::schema::Layout;
use crate::store::Store;
use crate::write::{Patience, Tx};

/// Where a session works: its directory and what git says about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkingDirectory<'a> {
    /// The directory. An empty one changes nothing.
    pub cwd: &'a str,
    /// The git branch; `None` keeps what is stored.
    pub git_branch: Option<&'a str>,
    /// The root of the git repository; `None` keeps what is stored.
    pub git_repo_root: Option<&'a str>,
}

/// Who bills a session's calls, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BillingRoute<'a> {
    /// Who bills.
    pub provider: &'a str,
    /// The endpoint that bills.
    pub base_url: &'a str,
    /// How it is billed.
    pub mode: Option<&'a str>,
}

impl Store {
    /// Sets the system prompt.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every write.
    pub fn update_system_prompt(&self, id: impl AsRef<str>, prompt: &str) -> Result<()> {
        const SQL: &str = "UPDATE sessions SET system_prompt = ?2 WHERE id = ?1";
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            known(id, tx.execute(SQL, params![id, prompt])?)
        })
    }

    /// Sets the model, also where one is stored.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every write.
    pub fn update_session_model(&self, id: impl AsRef<str>, model: &str) -> Result<()> {
        const SQL: &str = "UPDATE sessions SET model = ?2 WHERE id = ?1";
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            known(id, tx.execute(SQL, params![id, model])?)
        })
    }

    /// Sets the model's settings, JSON text as it is to be stored, and the model if one is given.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every write.
    pub fn update_session_meta(
        &self,
        id: impl AsRef<str>,
        model_config: &str,
        model: Option<&str>,
    ) -> Result<()> {
        const SQL: &str = "UPDATE sessions SET model_config = ?2, model = COALESCE(?3, model)
            WHERE id = ?1";
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            known(id, tx.execute(SQL, params![id, model_config, model])?)
        })
    }

    /// Sets who bills. The system prompt is cleared, as the new model's differs: the next call
    /// stores its own.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], and the errors of every write.
    pub fn update_session_billing_route(
        &self,
        id: impl AsRef<str>,
        route: BillingRoute<'_>,
    ) -> Result<()> {
        const SQL: &str = "UPDATE sessions SET billing_provider = :provider,
                billing_base_url = :base_url, billing_mode = :mode, system_prompt = NULL
            WHERE id = :id";
        let id = id.as_ref();
        self.write(Patience::Short, |tx| {
            let values = named_params! {
                ":id": id,
                ":provider": route.provider,
                ":base_url": route.base_url,
                ":mode": route.mode,
            };
            known(id, tx.execute(SQL, values)?)
        })
    }

    /// Sets where a session works.
    ///
    /// # Errors
    /// [`Error::UnknownSession`], [`Error::Unsupported`] for a store without the columns, and the
    /// errors of every write.
    pub fn update_session_cwd(
        &self,
        id: impl AsRef<str>,
        directory: WorkingDirectory<'_>,
    ) -> Result<()> {
        let id = id.as_ref();
        self.write(Patience::Short, |tx| set_cwd(tx, id, directory))
    }

    /// The title of a session, if it has one.
    ///
    /// # Errors
    /// Those of every read.
    pub fn session_title(&self, id: impl AsRef<str>) -> Result<Option<String>> {
        Ok(self.session(id)?.and_then(|session| session.title))
    }
}

fn known(id: &str, changed: usize) -> Result<()> {
    if changed == 0 {
        return Err(Error::UnknownSession { id: id.to_owned() });
    }
    Ok(())
}

fn set_cwd(tx: &Tx<'_>, id: &str, directory: WorkingDirectory<'_>) -> Result<()> {
    let layout = tx.layout();
    require_column(layout, "cwd", "a working directory", 14)?;
    tx.require_session(id)?;
    if directory.cwd.is_empty() {
        return Ok(());
    }
    tx.execute(
        "UPDATE sessions SET cwd = ?2 WHERE id = ?1",
        params![id, directory.cwd],
    )?;
    for (name, value) in [
        ("git_branch", directory.git_branch),
        ("git_repo_root", directory.git_repo_root),
    ] {
        if let Some(value) = value {
            require_column(layout, name, name, 17)?;
            let sql = format!("UPDATE sessions SET {name} = ?2 WHERE id = ?1");
            tx.execute(&sql, params![id, value])?;
        }
    }
    Ok(())
}

/// Fails if the store's sessions have no such column.
pub(crate) fn require_column(
    layout: &Layout,
    column: &str,
    what: &'static str,
    needs: i64,
) -> Result<()> {
    if layout.sessions.has(column) {
        return Ok(());
    }
    Err(Error::Unsupported {
        what,
        needs,
        found: layout.version,
    })
}
