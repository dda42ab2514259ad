//! hermes-state

mod content;
mod conversation;
mod error;
mod export;
mod holders;
mod import;
mod index_text;
mod info;
mod json_text;
mod list;
mod message;
mod open;
mod record;
mod reindex;
mod schema;
mod scrub;
mod search;
mod session;
mod store;
mod write;

pub use content::Content;
pub use conversation::{JsonOrNull, ReplayMessage};
pub use error::{Error, Holder, Result, Source};
pub use export::{ExportOptions, Exported};
pub use import::{ImportError, ImportProgress, ImportReport, Retitled};
pub use info::{IndexInfo, StoreInfo};
pub use json_text::{JsonText, JsonTextError};
pub use list::{ListOptions, SessionSummary};
pub use message::{Message, MessageId, MessagePage, NewMessage};
pub use schema::NATIVE_VERSION;
pub use scrub::sanitize_context;
pub use search::{ContextMessage, SearchMatch, SearchOptions, SearchResults};
pub use session::{NewSession, Session, SessionId};
pub use store::{Clock, Store, StoreOptions, Synchronous};
pub use write::WriteBudget;
