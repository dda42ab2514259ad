//! Which toolsets a model gets: `toolsets`, `platform_toolsets`, `agent.disabled_toolsets`.

use hermes_tools::Selection;

use super::section::{ConfigProblem, Section, key};
use super::yaml::Node;

/// The settings of toolsets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolsetsConfig {
    /// `toolsets`: those of every platform that has none of its own. `hermes-cli`.
    pub toolsets: Vec<String>,
    /// `disabled_toolsets`, and those of `agent.disabled_toolsets`: never given. None.
    pub disabled: Vec<String>,
    /// `platform_toolsets`: those of a platform (`cli`, `telegram`, …), in place of `toolsets`.
    pub by_platform: Vec<(String, Vec<String>)>,
}

impl ToolsetsConfig {
    /// The toolsets of a platform.
    pub fn of_platform(&self, platform: &str) -> &[String] {
        let own = self.by_platform.iter().find(|(name, _)| name == platform);
        own.map_or(&self.toolsets, |(_, toolsets)| toolsets)
    }

    /// What a model gets on a platform, for
    /// [`tool_definitions`](crate::Hermes::tool_definitions).
    ///
    /// ```
    /// use hermes_kit::Hermes;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let text = "platform_toolsets: {cli: [terminal]}\ndisabled_toolsets: [session_search]\n";
    /// std::fs::write(folder.path().join("config.yaml"), text)?;
    /// let hermes = Hermes::builder().home(folder.path()).open()?;
    /// let selection = hermes.config()?.toolsets()?.selection("cli");
    /// let definitions = hermes.tool_definitions(&selection);
    /// assert!(definitions.names().all(|name| ["terminal", "process"].contains(&name)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn selection(&self, platform: &str) -> Selection {
        Selection::of(self.of_platform(platform)).without(&self.disabled)
    }
}

pub(super) fn read(root: &Node) -> (ToolsetsConfig, Vec<ConfigProblem>) {
    let nothing = |_: &str| None;
    let mut at = Section::new(root, "", &nothing);
    let mut agent = Section::new(root, "agent", &nothing);
    let mut disabled = at.texts(key("disabled_toolsets")).unwrap_or_default();
    for toolset in agent.texts(key("disabled_toolsets")).unwrap_or_default() {
        if !disabled.contains(&toolset) {
            disabled.push(toolset);
        }
    }
    let config = ToolsetsConfig {
        toolsets: at
            .texts(key("toolsets"))
            .unwrap_or_else(|| vec!["hermes-cli".to_owned()]),
        disabled,
        by_platform: at.lists(key("platform_toolsets")).unwrap_or_default(),
    };
    let mut problems = at.finish();
    problems.extend(agent.finish());
    (config, problems)
}
