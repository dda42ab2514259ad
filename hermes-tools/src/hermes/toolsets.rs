//! The toolsets of Hermes as tables.

use super::tools::{
    BROWSER, CODE, CORE_TOOLS, DESKTOP_TERMINAL, FEISHU_DRIVE, FILE, HOME_ASSISTANT, KANBAN, PAGES,
    RECALL, SKILLS, SPOTIFY, TERMINAL, WEB, YUANBAO,
};
use crate::toolset::Toolset;

/// One toolset. Its tools are written as groups, since presets share most of theirs.
pub(super) struct Row {
    pub(super) name: &'static str,
    description: &'static str,
    tools: &'static [&'static [&'static str]],
    includes: &'static [&'static str],
    posture: bool,
}

impl Row {
    pub(super) fn toolset(&self) -> Toolset {
        Toolset {
            posture: self.posture,
            ..Toolset::new(self.description)
                .with_tools(self.tools.iter().copied().flatten().copied())
                .with_includes(self.includes.iter().copied())
        }
    }
}

const fn set(
    name: &'static str,
    description: &'static str,
    tools: &'static [&'static [&'static str]],
) -> Row {
    Row {
        name,
        description,
        tools,
        includes: &[],
        posture: false,
    }
}

const fn composite(
    name: &'static str,
    description: &'static str,
    tools: &'static [&'static [&'static str]],
    includes: &'static [&'static str],
) -> Row {
    Row {
        includes,
        ..set(name, description, tools)
    }
}

/// All toolsets, in the order of their names.
pub(super) const ROWS: &[Row] = &[
    set(
        "browser",
        "Drive a web browser, and find pages to open",
        &[BROWSER, &["web_search"]],
    ),
    set(
        "clarify",
        "Ask the user to choose or to say more",
        &[&["clarify"]],
    ),
    set(
        "code_execution",
        "Run Python scripts that call other tools",
        &[&["execute_code"]],
    ),
    Row {
        posture: true,
        ..set(
            "coding",
            "A coder's way to work: files, terminal, web, browser, memory and helpers, without home and messages",
            &[
                WEB,
                TERMINAL,
                DESKTOP_TERMINAL,
                FILE,
                SKILLS,
                BROWSER,
                RECALL,
                CODE,
                &["clarify", "vision_analyze"],
            ],
        )
    },
    set(
        "computer_use",
        "Operate the desktop: look at it, click and type",
        &[&["computer_use"]],
    ),
    set(
        "context_engine",
        "Tools of the context engine that is in use; empty without one",
        &[],
    ),
    set(
        "cronjob",
        "Schedule work for later or at intervals",
        &[&["cronjob"]],
    ),
    composite(
        "debugging",
        "What finding a fault takes: terminal, files and web",
        &[TERMINAL],
        &["web", "file"],
    ),
    set(
        "delegation",
        "Hand work to agents with a context of their own",
        &[&["delegate_task"]],
    ),
    set(
        "discord",
        "Read Discord servers and act in them",
        &[&["discord"]],
    ),
    set(
        "discord_admin",
        "Manage Discord servers: channels, roles, members",
        &[&["discord_admin"]],
    ),
    set(
        "feishu_doc",
        "Read Feishu and Lark documents",
        &[&["feishu_doc_read"]],
    ),
    set(
        "feishu_drive",
        "Read and answer comments on Feishu and Lark files",
        &[FEISHU_DRIVE],
    ),
    set("file", "Read, write, patch and search files", &[FILE]),
    set(
        "hermes-acp",
        "Editors that speak ACP: coding tools, without messages, sound and questions to the user",
        &[
            WEB,
            TERMINAL,
            FILE,
            SKILLS,
            BROWSER,
            RECALL,
            CODE,
            &["vision_analyze"],
        ],
    ),
    set(
        "hermes-api-server",
        "The HTTP API: all that works without a person to ask",
        &[
            WEB,
            TERMINAL,
            FILE,
            SKILLS,
            BROWSER,
            HOME_ASSISTANT,
            RECALL,
            CODE,
            &["cronjob", "image_generate", "vision_analyze"],
        ],
    ),
    set(
        "hermes-bluebubbles",
        "iMessage by BlueBubbles",
        &[CORE_TOOLS],
    ),
    set("hermes-cli", "The terminal program", &[CORE_TOOLS]),
    set("hermes-cron", "Scheduled jobs", &[CORE_TOOLS]),
    set("hermes-dingtalk", "DingTalk", &[CORE_TOOLS]),
    set(
        "hermes-discord",
        "Discord, with the tools of its servers",
        &[CORE_TOOLS, &["discord", "discord_admin"]],
    ),
    set("hermes-email", "E-mail", &[CORE_TOOLS]),
    set(
        "hermes-feishu",
        "Feishu and Lark, with their documents",
        &[CORE_TOOLS, FEISHU_DRIVE, &["feishu_doc_read"]],
    ),
    composite(
        "hermes-gateway",
        "Every messaging platform together",
        &[],
        &[
            "hermes-telegram",
            "hermes-discord",
            "hermes-whatsapp",
            "hermes-slack",
            "hermes-signal",
            "hermes-bluebubbles",
            "hermes-homeassistant",
            "hermes-email",
            "hermes-sms",
            "hermes-mattermost",
            "hermes-matrix",
            "hermes-dingtalk",
            "hermes-feishu",
            "hermes-wecom",
            "hermes-wecom-callback",
            "hermes-weixin",
            "hermes-qqbot",
            "hermes-webhook",
            "hermes-yuanbao",
        ],
    ),
    set(
        "hermes-homeassistant",
        "Conversations by Home Assistant",
        &[CORE_TOOLS],
    ),
    set("hermes-matrix", "Matrix", &[CORE_TOOLS]),
    set("hermes-mattermost", "Mattermost", &[CORE_TOOLS]),
    set("hermes-qqbot", "QQ", &[CORE_TOOLS]),
    set("hermes-signal", "Signal", &[CORE_TOOLS]),
    set("hermes-slack", "Slack", &[CORE_TOOLS]),
    set("hermes-sms", "Text messages", &[CORE_TOOLS]),
    set("hermes-telegram", "Telegram", &[CORE_TOOLS]),
    set(
        "hermes-webhook",
        "Requests from outside that nobody vouches for: only what cannot do harm",
        &[WEB, &["clarify", "vision_analyze"]],
    ),
    set("hermes-wecom", "WeCom", &[CORE_TOOLS]),
    set(
        "hermes-wecom-callback",
        "WeCom applications by callback",
        &[CORE_TOOLS],
    ),
    set("hermes-weixin", "WeChat", &[CORE_TOOLS]),
    set("hermes-whatsapp", "WhatsApp", &[CORE_TOOLS]),
    set(
        "hermes-yuanbao",
        "Yuanbao, with its groups and stickers",
        &[CORE_TOOLS, YUANBAO],
    ),
    set(
        "homeassistant",
        "See and switch what Home Assistant controls",
        &[HOME_ASSISTANT],
    ),
    set("image_gen", "Make images", &[&["image_generate"]]),
    set("kanban", "Work on a shared board of tasks", &[KANBAN]),
    set(
        "memory",
        "Remember things from one session to the next",
        &[&["memory"]],
    ),
    set(
        "project",
        "List, make and switch projects",
        &[&["project_create", "project_list", "project_switch"]],
    ),
    composite(
        "safe",
        "Nothing that touches this machine: web, vision and images",
        &[],
        &["web", "vision", "image_gen"],
    ),
    set(
        "search",
        "Search the web without reading pages",
        &[&["web_search"]],
    ),
    set(
        "session_search",
        "Search earlier sessions",
        &[&["session_search"]],
    ),
    set("skills", "List, read and write skills", &[SKILLS]),
    set(
        "spotify",
        "Control Spotify and look through its library",
        &[SPOTIFY],
    ),
    set("terminal", "Run commands and watch processes", &[TERMINAL]),
    set("todo", "Keep a list of the steps of a task", &[&["todo"]]),
    set("tts", "Turn text into speech", &[&["text_to_speech"]]),
    set("video", "Look at videos", &[&["video_analyze"]]),
    set(
        "video_gen",
        "Make, change and extend videos",
        &[&["video_generate", "xai_video_edit", "xai_video_extend"]],
    ),
    set("vision", "Look at images", &[&["vision_analyze"]]),
    set("web", "Search the web and read pages", &[WEB]),
    set("x_search", "Search posts on X", &[&["x_search"]]),
    set(
        "yuanbao",
        "Groups, messages and stickers of Yuanbao",
        &[YUANBAO],
    ),
];

/// Old names, and their tools.
pub(super) const LEGACY: &[(&str, &[&str])] = &[
    ("web_tools", WEB),
    ("terminal_tools", &["terminal"]),
    ("vision_tools", &["vision_analyze"]),
    ("image_tools", &["image_generate"]),
    ("skills_tools", SKILLS),
    ("browser_tools", PAGES),
    ("cronjob_tools", &["cronjob"]),
    ("file_tools", FILE),
    ("tts_tools", &["text_to_speech"]),
    ("moa_tools", &["mixture_of_agents"]),
    (
        "rl_tools",
        &[
            "rl_list_environments",
            "rl_select_environment",
            "rl_get_current_config",
            "rl_edit_config",
            "rl_start_training",
            "rl_check_status",
            "rl_stop_training",
            "rl_get_results",
            "rl_list_runs",
            "rl_test_inference",
        ],
    ),
];
