//! The names of the tools of Hermes, in groups.

pub(super) const WEB: &[&str] = &["web_search", "web_extract"];

pub(super) const TERMINAL: &[&str] = &["terminal", "process"];

pub(super) const DESKTOP_TERMINAL: &[&str] = &["read_terminal", "close_terminal"];

pub(super) const FILE: &[&str] = &["read_file", "write_file", "patch", "search_files"];

pub(super) const SKILLS: &[&str] = &["skills_list", "skill_view", "skill_manage"];

/// What browsing had when it was called `browser_tools`.
pub(super) const PAGES: &[&str] = &[
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
];

pub(super) const BROWSER: &[&str] = &joined::<12>(&[PAGES, &["browser_cdp", "browser_dialog"]]);

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
pub const CORE_TOOLS: &[&str] = &joined::<52>(&[
    WEB,
    TERMINAL,
    DESKTOP_TERMINAL,
    FILE,
    SKILLS,
    BROWSER,
    HOME_ASSISTANT,
    KANBAN,
    RECALL,
    CODE,
    &[
        "clarify",
        "computer_use",
        "cronjob",
        "image_generate",
        "text_to_speech",
        "vision_analyze",
    ],
]);

/// The names of all groups in one, of which there are `N`: any other number does not compile.
#[expect(
    clippy::indexing_slicing,
    reason = "run by the compiler alone, and an iterator cannot be"
)]
const fn joined<const N: usize>(groups: &[&[&'static str]]) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut group, mut count) = (0, 0);
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            names[count] = groups[group][at];
            at += 1;
            count += 1;
        }
        group += 1;
    }
    assert!(count == N, "the number of names");
    names
}
