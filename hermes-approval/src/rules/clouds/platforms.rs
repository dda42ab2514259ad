//! Hosts of applications and sites.

use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

/// Tools, and what takes something away there. `noun:verb` is one word; `:verb` fits every noun.
#[rustfmt::skip]
const TOOLS: &[(&str, &[&str])] = &[
    ("appwrite", &["* delete"]),
    ("cfcli", &["rm|remove|purge", "* rm|remove"]),
    ("cloud-nuke", &["aws|azure|gcp|defaults-aws"]),
    ("cloudflared", &["tunnel delete|cleanup", "tunnel route delete"]),
    ("convex", &["data delete"]),
    ("dokku", &["apps:destroy|ps:stop|postgres:destroy|mysql:destroy|redis:destroy|mongo:destroy"]),
    ("ecs-cli", &["down", "compose down|stop|rm", "compose service rm|stop|down"]),
    ("expo", &["* delete"]),
    ("flarectl", &["* delete", "* * delete"]),
    ("fly", &["apps|app|machine|machines|m|volumes|volume|vol|postgres|pg|ips|secrets|redis destroy|remove|unset|delete|release|stop|kill", "destroy", "suspend", "scale count 0"]),
    ("netlify", &["sites:delete|env:unset|deploy:delete"]),
    ("ngrok", &["api * delete"]),
    ("railway", &["down|delete", "volume delete", "environment delete"]),
    ("render", &["* delete"]),
    ("snow", &["object drop", "* drop", "* * drop"]),
    ("supabase", &["projects|functions|secrets|branches|storage delete|unset|rm", "db reset", "stop"]),
    ("surge", &["teardown"]),
    ("turso", &["db destroy", "group destroy", "db tokens invalidate"]),
    ("vercel", &["rm|remove|rollback", "env|domains|dns|alias|certs|project|secrets rm|remove"]),
    ("now", &["rm|remove"]),
    ("wrangler", &["delete|rollback", "* delete", "kv namespace|key|bulk delete", "kv:namespace|kv:key|kv:bulk delete", "r2 bucket|object delete", "pages project|deployment delete", "secret delete", "d1 time-travel restore"]),
];

pub(super) const DELETE: Rule = Rule {
    id: "clouds.platform-delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("delete an application or site on its host")],
    reason: "This deletes or stops an application, a site or its data on the host.",
    alternative: Some("Look at it first: `fly status`, `heroku ps`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "appwrite",
            "aws-nuke",
            "awsnuke",
            "cfcli",
            "cloud-nuke",
            "cloudflared",
            "ecs-cli",
            "flarectl",
            "snow",
            "convex",
            "dokku",
            "expo",
            "firebase",
            "fly",
            "flyctl",
            "heroku",
            "netlify",
            "ngrok",
            "now",
            "railway",
            "render",
            "supabase",
            "surge",
            "turso",
            "vercel",
            "wrangler",
        ],
        deletes,
    ),
    matches: &[
        "fly apps destroy x -y",
        "flyctl volumes destroy v",
        "vercel rm x --yes",
        "netlify sites:delete x -f",
        "wrangler delete",
        "npx wrangler r2 bucket delete b",
        "firebase firestore:delete --all-collections",
        "firebase hosting:disable",
        "heroku apps:destroy -a x --confirm x",
        "heroku pg:reset DATABASE_URL",
        "heroku addons:destroy x",
        "heroku ps:scale web=0",
        "heroku maintenance:on",
        "railway down",
        "supabase projects delete p",
        "cloudflared tunnel delete x",
        "aws-nuke run -c x --no-dry-run",
        "cloud-nuke aws --force",
    ],
    near_misses: &["fly status", "supabase db diff", "aws-nuke run -c x"],
    safe: &[
        "heroku logs --tail",
        "heroku run bash -a x",
        "fly deploy",
        "fly status",
        "vercel deploy",
        "netlify deploy",
        "wrangler dev",
        "firebase deploy --only hosting",
        "firebase emulators:start",
        "heroku ps -a x",
    ],
    ..Rule::ASK
};

/// Verbs behind the colon.
const COLON: &[&str] = &[
    "delete",
    "destroy",
    "disable",
    "kill",
    "remove",
    "reset",
    "restart",
    "revoke",
    "rollback",
    "stop",
    "unset",
    "maintenance",
    "detach",
    "promote",
    "clear",
];

fn deletes(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    if call.is_rehearsal() {
        return None;
    }
    if matches!(look.name, "heroku" | "firebase" | "netlify") {
        let command = call.operand(0)?;
        let stops = command == "maintenance:on"
            || command == "ps:scale" && call.operands.iter().any(|w| w.text().ends_with("=0"));
        if stops {
            return Some(look.hit());
        }
        let verb = command.rsplit_once(':')?.1;
        return COLON.contains(&verb).then(|| look.hit());
    }
    if matches!(look.name, "aws-nuke" | "awsnuke") {
        return look.has_word("--no-dry-run").then(|| look.hit());
    }
    let name = if look.name == "flyctl" {
        "fly"
    } else {
        look.name
    };
    let (_, verbs) = TOOLS.iter().find(|(tool, _)| *tool == name)?;
    // `supabase db reset` and `stop` are about the local copy.
    let local = name == "supabase" && !call.has('\0', "linked") && call.any(&["db reset", "stop"]);
    (call.any(verbs) && !local).then(|| look.hit())
}
