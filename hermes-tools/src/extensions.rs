//! Values of any type that travel with a call.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// At most one value of each type. A clone is cheap and sees none of the other's later changes.
///
/// ```
/// use hermes_tools::Extensions;
///
/// struct Workspace(&'static str);
/// let extensions = Extensions::default().with(Workspace("/srv/project"));
/// assert_eq!(extensions.get::<Workspace>().map(|w| w.0), Some("/srv/project"));
/// assert!(extensions.get::<u8>().is_none());
/// ```
#[derive(Clone, Default)]
pub struct Extensions {
    values: Option<Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
}

impl Extensions {
    /// Adds a value, in place of an earlier one of its type.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let values = self.values.get_or_insert_default();
        Arc::make_mut(values).insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Adds a value and gives the whole back.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Extensions {
        self.insert(value);
        self
    }

    /// The value of this type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.values
            .as_ref()?
            .get(&TypeId::of::<T>())?
            .downcast_ref()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.values.as_ref().map_or(0, |values| values.len());
        write!(f, "Extensions({count})")
    }
}
