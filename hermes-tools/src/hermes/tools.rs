//! The names of the tools of Hermes, in groups.

pub(super) const WEB: &[&str] = &["web_search", "web_extract"];

pub(super) const TERMINAL: &[&str] = &["terminal", "process"];

pub(super) const DESKTOP_TERMINAL: &[&str] = &["read_terminal", "close_terminal"];

pub(super) const FILE: &[&str] = &["read_file", "write_file", "patch", "search_files"];

pub(super) const SKILLS: &[&str] = &["skills_list", "skill_view", "skill_manage"];

pub(super) const BROWSER: &[&str] = &[
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_scroll",
    "browser_back",
    "browser_press",
    "browser_get_images",
    "browser_vision",
    "browser_console",
    "browser_cdp",
    "browser_dialog",
];

pub(super) const HOME_ASSISTANT: &[&str] = &[
    "ha_call_service",
    "ha_get_state",
    "ha_list_entities",
    "ha_list_services",
];

pub(super) const KANBAN: &[&str] = &[
    "kanban_attach",
    "kanban_attach_url",
    "kanban_attachments",
    "kanban_block",
    "kanban_comment",
    "kanban_complete",
    "kanban_create",
    "kanban_heartbeat",
    "kanban_link",
    "kanban_list",
    "kanban_show",
    "kanban_unblock",
];

pub(super) const RECALL: &[&str] = &["todo", "memory", "session_search"];

pub(super) const CODE: &[&str] = &["execute_code", "delegate_task"];

pub(super) const FEISHU_DRIVE: &[&str] = &[
    "feishu_drive_add_comment",
    "feishu_drive_list_comment_replies",
    "feishu_drive_list_comments",
    "feishu_drive_reply_comment",
];

pub(super) const YUANBAO: &[&str] = &[
    "yb_query_group_info",
    "yb_query_group_members",
    "yb_search_sticker",
    "yb_send_dm",
    "yb_send_sticker",
];

pub(super) const SPOTIFY: &[&str] = &[
    "spotify_albums",
    "spotify_devices",
    "spotify_library",
    "spotify_playback",
    "spotify_playlists",
    "spotify_queue",
    "spotify_search",
];

/// The tools that the presets of platforms share.
pub const CORE_TOOLS: &[&str] = &[
    "web_search",
    "web_extract",
    "terminal",
    "process",
    "read_terminal",
    "close_terminal",
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "skills_list",
    "skill_view",
    "skill_manage",
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_scroll",
    "browser_back",
    "browser_press",
    "browser_get_images",
    "browser_vision",
    "browser_console",
    "browser_cdp",
    "browser_dialog",
    "ha_call_service",
    "ha_get_state",
    "ha_list_entities",
    "ha_list_services",
    "kanban_attach",
    "kanban_attach_url",
    "kanban_attachments",
    "kanban_block",
    "kanban_comment",
    "kanban_complete",
    "kanban_create",
    "kanban_heartbeat",
    "kanban_link",
    "kanban_list",
    "kanban_show",
    "kanban_unblock",
    "todo",
    "memory",
    "session_search",
    "execute_code",
    "delegate_task",
    "clarify",
    "computer_use",
    "cronjob",
    "image_generate",
    "text_to_speech",
    "vision_analyze",
];
