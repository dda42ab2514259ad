//! The profile selector in a command line: found and taken out, and nothing else is touched.

use std::ffi::{OsStr, OsString};

use crate::{Environment, Error, HomeSource, ProfileName, Resolution, Result, Selection};

/// Which parts of a command line are not looked at, for a program that selects a profile before its
/// own parser runs.
///
/// `--profile NAME`, `--profile=NAME` and `-p NAME` select, anywhere before `--`; the first one
/// counts, and only that one is taken out. A value that cannot be a profile name is not ours after
/// `-p` (other programs use that letter) and an error after `--profile`.
///
/// ```
/// use hermes_home::Arguments;
///
/// let rules = Arguments::new().with_value_options(["-m", "--model"]);
/// let read = rules.read(["chat", "-m", "-p", "-p", "coder", "hello"])?;
/// assert_eq!(read.selector.map(|selector| selector.name.to_string()), Some("coder".into()));
/// assert_eq!(read.remaining, ["chat", "-m", "-p", "hello"]);
/// # Ok::<(), hermes_home::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    value_options: Vec<OsString>,
    pass_through: Vec<PassThrough>,
}

/// From an option on, after certain words, everything belongs to another program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PassThrough {
    words: Vec<OsString>,
    option: OsString,
}

/// A command line that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadArguments {
    /// The selector, if there was one.
    pub selector: Option<Selector>,
    /// Everything else, as it was and in its order.
    pub remaining: Vec<OsString>,
}

/// A selector, and where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selector {
    /// The profile.
    pub name: ProfileName,
    /// `-p` or `--profile`.
    pub option: &'static str,
    /// Its position, from 0.
    pub index: usize,
    /// How many arguments it took: two, or one for `--profile=NAME`.
    pub length: usize,
}

/// What a program starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StartUp {
    /// The home, and why it is that one.
    pub resolution: Resolution,
    /// The arguments without the selector.
    pub remaining: Vec<OsString>,
    /// The selector that was taken out.
    pub selector: Option<Selector>,
}

const SHORT: &str = "-p";
const LONG: &str = "--profile";

impl Default for Arguments {
    fn default() -> Self {
        Self::new()
    }
}

impl Arguments {
    /// The rules that hold everywhere: what follows `mcp add … --args` is another program's.
    pub fn new() -> Self {
        let none = Self {
            value_options: Vec::new(),
            pass_through: Vec::new(),
        };
        none.with_pass_through(["mcp", "add"], "--args")
    }

    /// Options of the program that take the next argument as their value, in full (`-m`,
    /// `--model`). Their values are not looked at.
    #[must_use]
    pub fn with_value_options<T: Into<OsString>>(
        mut self,
        options: impl IntoIterator<Item = T>,
    ) -> Self {
        self.value_options
            .extend(options.into_iter().map(Into::into));
        self
    }

    /// Nothing is looked at behind `option` when the arguments before it hold these words, in this
    /// order.
    #[must_use]
    pub fn with_pass_through<T: Into<OsString>>(
        mut self,
        words: impl IntoIterator<Item = T>,
        option: impl Into<OsString>,
    ) -> Self {
        self.pass_through.push(PassThrough {
            words: words.into_iter().map(Into::into).collect(),
            option: option.into(),
        });
        self
    }

    /// Finds the selector. `arguments` are those behind the name of the program.
    ///
    /// # Errors
    /// [`Error::InvalidProfileName`] for a bad name after `--profile`, and [`Error::EmptyFlag`] when
    /// nothing follows it.
    pub fn read<T: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<ReadArguments> {
        let mut remaining: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let selector = self.find(&remaining)?;
        if let Some(selector) = &selector {
            let taken = selector.index..selector.index.saturating_add(selector.length);
            remaining.drain(taken);
        }
        Ok(ReadArguments {
            selector,
            remaining,
        })
    }

    /// Finds the selector and decides with it: [`Arguments::read`], then [`Selection::resolve`].
    ///
    /// # Errors
    /// Those of the two.
    pub fn select<T: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = T>,
        env: &Environment,
    ) -> Result<StartUp> {
        let read = self.read(arguments)?;
        let name = read.selector.as_ref().map(|found| found.name.to_string());
        Ok(StartUp {
            resolution: Selection::new().with_profile(name).resolve(env)?,
            remaining: read.remaining,
            selector: read.selector,
        })
    }

    fn find(&self, arguments: &[OsString]) -> Result<Option<Selector>> {
        let mut index = 0;
        while let Some(argument) = arguments.get(index) {
            if argument == "--" || self.passes_through(arguments.get(..index), argument) {
                return Ok(None);
            }
            let next = arguments.get(index + 1);
            let found = |name, option, length| {
                Ok(Some(Selector {
                    name,
                    option,
                    index,
                    length,
                }))
            };
            if self.value_options.contains(argument) {
                index += 2;
                continue;
            }
            if argument == SHORT {
                // The value of an option that we do not know may look like a selector itself, so
                // it is looked at again.
                if let Some(name) = next.and_then(|next| name_of(next).ok()) {
                    return found(name, SHORT, 2);
                }
            } else if argument == LONG {
                let flag = HomeSource::ProfileFlag;
                return found(name_of(next.ok_or(Error::EmptyFlag { flag })?)?, LONG, 2);
            } else if let Some(value) = value_of_long(argument) {
                return found(name_of(&value)?, LONG, 1);
            }
            index += 1;
        }
        Ok(None)
    }

    fn passes_through(&self, before: Option<&[OsString]>, argument: &OsStr) -> bool {
        self.pass_through.iter().any(|rule| {
            let mut seen = before.unwrap_or_default().iter();
            rule.option == argument && rule.words.iter().all(|word| seen.any(|one| one == word))
        })
    }
}

/// A name that is no text is given back as well as it can be shown.
fn name_of(value: &OsStr) -> Result<ProfileName> {
    ProfileName::parse(&value.to_string_lossy())
}

/// `NAME` of `--profile=NAME`.
fn value_of_long(argument: &OsStr) -> Option<OsString> {
    let units = crate::unit::units(argument);
    let start = crate::unit::units(OsStr::new("--profile="));
    units.strip_prefix(&*start).map(crate::unit::os_string)
}
