//! Permissions, owners and attributes of files.

use crate::look::Look;
use crate::paths::{Place, Target, Tree};
use crate::removal::{Sweep, sweep};
use crate::rule::{Key, Pack, Rule, Severity, Test};
use crate::word::Word;

pub(super) static PACK: Pack = Pack {
    name: "perm",
    about: "permissions, owners, attributes and capabilities of files",
    rules: &[
        WORLD_WRITABLE,
        SET_ID,
        RECURSIVE_MODE,
        SENSITIVE_MODE,
        ROOT_OWNER,
        OWNER,
        ATTRIBUTES,
        COPIED,
        ACL,
        LABEL,
        UMASK,
    ],
};

const WORLD_WRITABLE: Rule = Rule {
    id: "perm.world-writable",
    class: "perm",
    severity: Severity::High,
    keys: &[Key::both("world/other-writable permissions")],
    accepts: &[Key::both("recursive world/other-writable (long flag)")],
    reason: "This lets every user of the machine change the files.",
    alternative: Some("Give it to the owner or a group only: `chmod g+w d`."),
    test: Test::Program(&["chmod", "install", "mkdir"], |look| {
        if look.name != "chmod" {
            let open = look
                .value('m', "mode")
                .and_then(parse)
                .is_some_and(|m| m.writes_for_others);
            return open.then(|| look.hit());
        }
        let (word, mode) = mode(look)?;
        if !mode.writes_for_others {
            return None;
        }
        let hit = look.hit_word(word);
        let long = look.has('\0', "recursive");
        Some(if long {
            hit.keys(LONG).accepts(&[])
        } else {
            hit
        })
    }),
    matches: &[
        "chmod 777 d",
        "chmod -R 777 d",
        "chmod 666 id_rsa",
        "chmod 0777 d",
        "chmod +777 x",
        "mkdir -m 777 shared",
        "install -m 666 a /srv/a",
        "chmod o+w f",
        "chmod a=rwx d",
        "chmod ugo+rwx secrets",
        "chmod +w,o+w f",
        "chmod --recursive u=rwx,o+w d",
        "chmod \u{ff17}77 f",
        "sudo chmod 1777 /srv",
    ],
    near_misses: &["chmod 755 d", "chmod o-w f", "chmod o=rx f"],
    safe: &[
        "chmod 755 bin/tool",
        "chmod u+w notes.txt",
        "chmod +w f",
        "chmod --help",
        "echo 'chmod 777 is bad'",
    ],
    ..Rule::ASK
};

const LONG: &[Key] = &[
    Key::both("recursive world/other-writable (long flag)"),
    Key::both("world/other-writable permissions"),
];

/// What a mode gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Mode {
    writes_for_others: bool,
    set_id: bool,
    takes_all: bool,
}

/// The mode of `chmod`, with its word. A mode may start with a dash: `chmod -w f`.
fn mode<'a>(look: &Look<'a>) -> Option<(&'a Word, Mode)> {
    let word = look.words().iter().find(|w| {
        let text = w.text();
        let option = text.starts_with('-') && text.contains(['R', 'v', 'c', 'f']);
        !(option || text.starts_with("--") || text.is_empty())
    })?;
    let mut modes = word.candidates().filter_map(parse);
    let first = modes.next()?;
    let worst = modes.fold(first, |a, b| Mode {
        writes_for_others: a.writes_for_others || b.writes_for_others,
        set_id: a.set_id || b.set_id,
        takes_all: a.takes_all || b.takes_all,
    });
    Some((word, worst))
}

fn parse(text: &str) -> Option<Mode> {
    // `+777` and `=777` are octal, too; `-777` takes away.
    let octal = text.strip_prefix(['+', '=']).unwrap_or(text);
    let text = if octal.starts_with(|c: char| c.is_ascii_digit()) {
        octal
    } else {
        text
    };
    if text.bytes().all(|b| (b'0'..=b'7').contains(&b)) {
        let bits = u32::from_str_radix(text, 8).ok()?;
        return Some(Mode {
            // A sticky directory is shared on purpose, but asked for all the same.
            writes_for_others: bits & 0o002 != 0,
            set_id: bits & 0o6000 != 0,
            takes_all: bits & 0o777 == 0,
        });
    }
    let mut mode = Mode::default();
    for clause in text.split(',') {
        let at = clause.find(['+', '=', '-'])?;
        let (who, rest) = clause.split_at_checked(at)?;
        let adds = !rest.starts_with('-');
        // Without a `who`, the umask takes the w from others.
        let others = who.contains(['o', 'a']);
        mode.writes_for_others |= adds && others && rest.contains('w');
        mode.set_id |= adds && rest.contains('s') && who != "o";
        mode.takes_all |= others && rest == "=" || rest == "-rwx" && who.contains('a');
    }
    Some(mode)
}

const SET_ID: Rule = Rule {
    id: "perm.set-id",
    class: "perm",
    severity: Severity::High,
    keys: &[Key::ours("set-user-ID or set-group-ID bit")],
    reason: "A program with this bit runs with the rights of its owner, whoever starts it.",
    alternative: Some("Run it through `sudo` where it needs more rights."),
    test: Test::Program(&["chmod", "install", "ginstall"], |look| {
        if look.name != "chmod" {
            let set_id = look
                .value('m', "mode")
                .and_then(parse)
                .is_some_and(|m| m.set_id);
            return set_id.then(|| look.hit());
        }
        let (word, mode) = mode(look)?;
        mode.set_id.then(|| look.hit_word(word))
    }),
    matches: &[
        "chmod u+s /usr/bin/find",
        "chmod 4755 tool",
        "chmod +s tool",
        "chmod 2755 d",
        "install -m 4755 -o root sh /tmp/.sh",
        "install --mode=u=rwxs tool /opt/bin/tool",
    ],
    near_misses: &["chmod u-s tool", "chmod 755 tool"],
    safe: &[
        "chmod u-s tool",
        "stat -c %a file",
        "install -m 755 tool ~/bin/tool",
    ],
    ..Rule::ASK
};

const RECURSIVE_MODE: Rule = Rule {
    id: "perm.recursive-mode",
    class: "perm",
    severity: Severity::Medium,
    keys: &[Key::ours("recursive permission change outside the project")],
    reason: "This changes the permissions of a whole tree outside the project, or takes them all away.",
    alternative: Some("Name the files that need it."),
    test: Test::Program(&["chmod"], |look| {
        let (word, mode) = mode(look)?;
        let outside = look
            .operands()
            .iter()
            .skip(1)
            .any(|w| look.target(w).is_absolute() && look.target(w).is_outside());
        let recursive = look.has('R', "recursive");
        (recursive && (outside || mode.takes_all)).then(|| look.hit_word(word))
    }),
    matches: &[
        "chmod -R 755 /srv/www",
        "chmod -R 000 src",
        "chmod -R u+x ~/bin",
    ],
    near_misses: &["chmod -R 755 src", "chmod 755 /srv/x"],
    safe: &["chmod -R u+rw src", "chmod 600 ~/.ssh/config"],
    ..Rule::ASK
};

const SENSITIVE_MODE: Rule = Rule {
    id: "perm.sensitive-mode",
    class: "perm",
    severity: Severity::High,
    keys: &[Key::ours("change permissions of sensitive file")],
    reason: "This opens a private file to others, locks its owner out, or makes a hook run by itself.",
    alternative: Some("Keep private files private: `chmod 600 ~/.ssh/config`."),
    test: Test::Program(&["chmod"], |look| {
        let (_, mode) = mode(look)?;
        let text = look.operands().first()?.text();
        let runs = text.contains('x') || mode_bits(text).is_some_and(|bits| bits & 0o111 != 0);
        let opens = mode_bits(text).is_some_and(|bits| bits & 0o044 != 0)
            || mode.writes_for_others
            || text
                .split(',')
                .any(|c| c.starts_with(['a', 'o', 'g', '+']) && c.contains("r"));
        let at = look
            .operands()
            .iter()
            .skip(1)
            .find(|w| match look.target(w).place() {
                Some(Place::Hook) => runs,
                Some(Place::Ssh | Place::Credential | Place::HermesConfig) => {
                    (opens || mode.takes_all) && !w.text().ends_with(".pub")
                }
                Some(Place::Startup | Place::HermesState) => mode.takes_all,
                Some(Place::SystemConfig | Place::SystemFile) => true,
                _ => mode.takes_all && look.target(w).tree().is_some_and(|t| t >= Tree::HermesHome),
            })?;
        Some(look.hit_word(at))
    }),
    matches: &[
        "chmod +x .git/hooks/post-checkout",
        "chmod 644 ~/.ssh/id_rsa",
        "chmod 640 /etc/shadow",
        "chmod a+r ~/.aws/credentials",
        "chmod 000 ~/.hermes",
        "chmod 0 ~/.ssh",
        "chmod a= ~/.bashrc",
    ],
    near_misses: &["chmod 600 ~/.ssh/id_rsa", "chmod 644 ~/.ssh/id_rsa.pub"],
    safe: &[
        "chmod 600 ~/.ssh/config",
        "chmod 700 ~/.ssh",
        "chmod +x build.sh",
    ],
    ..Rule::ASK
};

fn mode_bits(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 8).ok()
}

const ROOT_OWNER: Rule = Rule {
    id: "perm.recursive-chown-root",
    class: "perm",
    severity: Severity::High,
    keys: &[Key::both("recursive chown to root")],
    accepts: &[Key::both("recursive chown to root (long flag)")],
    reason: "This takes a whole tree away from its users.",
    alternative: Some("Change the owner of the files that need it."),
    test: Test::Program(&["chown"], |look| {
        let owner = look.operands().first()?;
        let name = owner.text().split([':', '.']).next().unwrap_or("");
        let root = matches!(name, "root" | "0") && owner.known().is_some();
        if !root || !look.has('R', "recursive") {
            return None;
        }
        let hit = look.hit_word(owner);
        let long = look.has('\0', "recursive");
        Some(if long { hit.keys(CHOWN_LONG) } else { hit })
    }),
    matches: &[
        "chown -R root .",
        "chown -Rv root d",
        "chown --recursive root:root /opt",
        "chown root:root -R /opt",
    ],
    near_misses: &["chown root d", "chown -R alice d"],
    safe: &["chown alice notes.txt"],
    ..Rule::ASK
};

const CHOWN_LONG: &[Key] = &[
    Key::both("recursive chown to root (long flag)"),
    Key::both("recursive chown to root"),
];

const OWNER: Rule = Rule {
    id: "perm.recursive-owner",
    class: "perm",
    severity: Severity::Medium,
    keys: &[Key::ours("recursive owner change")],
    reason: "This changes the owner of a whole tree, or of a file that the system depends on.",
    alternative: Some("Change the owner of the files that need it."),
    test: Test::Program(&["chown", "chgrp"], |look| {
        let recursive = look.has('R', "recursive");
        if let Some(by) = look.repeated_by() {
            let wide = |i| sweep(look, i).is_some_and(|s| is_wide(&s));
            if recursive || wide(by) || look.scope.look(by).upstream().any(wide) {
                return Some(look.hit());
            }
        }
        let others = look.operands().first().is_some_and(|w| is_other(look, w));
        let at = look.operands().iter().skip(1).find(|w| {
            let target = look.target(w);
            let tree = target.tree();
            recursive && target.is_absolute() && target.is_outside()
                || recursive && others && (tree.is_some() || target.is_outside())
                || tree == Some(Tree::HermesHome)
                || target
                    .place()
                    .is_some_and(|p| p.is_system() || p.is_hermes() || p == Place::Ssh)
        })?;
        Some(look.hit_word(at))
    }),
    matches: &[
        "chown -R nobody /srv",
        "chown -R 100000:100000 /volumes/mail",
        "chown bob /etc/sudoers",
        "chgrp -R staff /srv",
        "cd /srv; chown -R nobody .",
        "chown -R nobody *",
        "find . -exec chown eve {} +",
        "find . -print0 | xargs -0 chown eve",
        "find /srv -name '*.db' -exec chown eve {} +",
        "chown root ~/.hermes",
    ],
    near_misses: &[
        "chown -R alice src",
        "find . -name '*.log' -exec chown bob {} +",
    ],
    safe: &[
        "chown alice notes.txt",
        "chown -R \"$USER\" src",
        "chown -R \"$USER:$USER\" .",
        "sudo chown -R $(id -u):$(id -g) .",
        "sudo chown -R sam:sam .",
        "chown -R 1000:1000 .",
    ],
    ..Rule::ASK
};

/// A search that leaves nothing out, or goes through something outside of the project.
fn is_wide(sweep: &Sweep<'_>) -> bool {
    let outside = |t: &Target<'_>| t.is_absolute() && t.is_outside();
    sweep.tree().is_some() || sweep.starts.iter().any(outside)
}

/// An owner that is written out, and isn't the user: neither by the name of the home nor by the
/// number that the first user of a system has.
fn is_other(look: &Look<'_>, owner: &Word) -> bool {
    let own = look.scope.env.user_home.rsplit('/').next().unwrap_or("");
    let names = owner.known().unwrap_or("");
    let mut names = names.split([':', '.']).filter(|n| !n.is_empty()).peekable();
    names.peek().is_some() && names.all(|n| n != own && !matches!(n, "1000" | "501"))
}

const COPIED: Rule = Rule {
    id: "perm.copied",
    class: "perm",
    severity: Severity::Medium,
    keys: &[Key::ours("copy permissions or owner from another file")],
    reason: "This gives files that matter whatever permissions or owner another file has.",
    alternative: Some("Name the mode that is meant: `chmod 640 app.conf`."),
    test: Test::Program(&["chmod", "chown", "chgrp"], |look| {
        look.value('\0', "reference")?;
        let recursive = look.has('R', "recursive");
        let at = look.operands().iter().find(|w| {
            let target = look.target(w);
            let matters = |p: Place| p.is_system() || p.is_personal() || p.is_hermes();
            recursive && target.is_absolute() && target.is_outside()
                || target
                    .tree()
                    .is_some_and(|t| recursive || t >= Tree::HermesHome)
                || target.place().is_some_and(matters)
        })?;
        Some(look.hit_word(at))
    }),
    matches: &[
        "chmod --reference=/tmp/open /etc/shadow",
        "chown --recursive --reference=/tmp/x /srv",
        "chgrp -R --reference /tmp/x .",
        "chmod --reference=a ~/.ssh/id_rsa",
    ],
    near_misses: &["chmod --reference=a.sh b.sh"],
    safe: &["chmod --reference=a.sh b.sh", "chown --reference=a b"],
    ..Rule::ASK
};

const ATTRIBUTES: Rule = Rule {
    id: "perm.attributes",
    class: "perm",
    severity: Severity::Medium,
    keys: &[Key::ours("change attributes or capabilities of files")],
    reason: "This locks files, unlocks what was locked, or gives a program rights of root.",
    alternative: Some("Show the attributes with `lsattr`."),
    test: Test::Program(&["chattr", "setcap", "chflags"], |look| {
        let reads = look.name == "setcap" && look.has('v', "");
        (!reads && look.words().len() >= 2).then(|| look.hit())
    }),
    matches: &[
        "chattr -i /etc/passwd",
        "chattr +i -R /home/a",
        "setcap cap_setuid+ep ./python3",
        "chflags -R nouchg /srv",
    ],
    near_misses: &["chattr --help"],
    safe: &["lsattr f", "getcap ./x"],
    ..Rule::ASK
};

const ACL: Rule = Rule {
    id: "perm.access-list",
    class: "perm",
    severity: Severity::Medium,
    keys: &[Key::ours("change access control lists")],
    reason: "This gives others access to a whole tree, or removes its access lists.",
    alternative: Some("Show them with `getfacl d`."),
    test: Test::Program(&["setfacl"], |look| {
        let wide = look.has('R', "recursive")
            || look.has('b', "remove-all")
            || look.operands().iter().any(|w| look.target(w).is_absolute())
            || look.words().iter().any(|w| {
                let text = w.text();
                (text.starts_with("o:") || text.starts_with("other:")) && text.contains('w')
            });
        let tries = look.has('\0', "test");
        (wide && !tries).then(|| look.hit())
    }),
    matches: &[
        "setfacl -R -m u:guest:rwx /srv",
        "setfacl -m o::rwx d",
        "setfacl -b /srv/x",
    ],
    near_misses: &[
        "setfacl -m u:bob:r notes.txt",
        "setfacl --test -R -m u:bob:r d",
    ],
    safe: &["getfacl file", "setfacl -m u:bob:r notes.txt"],
    ..Rule::ASK
};

const LABEL: Rule = Rule {
    id: "perm.label",
    class: "perm",
    severity: Severity::Medium,
    keys: &[Key::ours("change security labels or extended attributes")],
    reason: "This changes labels that decide which programs may read and write the files.",
    alternative: Some("Show the labels with `ls -Z`."),
    test: Test::Program(
        &["chcon", "semanage", "setfattr", "smackload", "xattr"],
        |look| {
            let mut targets = look.operands().iter().map(|w| look.target(w));
            let outside = targets.any(|t| t.is_absolute() && t.is_outside());
            let changes = match look.name {
                "chcon" => look.has('R', "recursive") || outside,
                "semanage" => ["add", "delete", "modify", "deleteall"]
                    .iter()
                    .zip(['a', 'd', 'm', 'D'])
                    .any(|(long, letter)| look.has(letter, long)),
                "setfattr" => look.words().iter().any(|w| {
                    let name = w.known_prefix();
                    name.starts_with("security.") || name.starts_with("system.")
                }),
                "xattr" => {
                    look.has('c', "")
                        || look.has('d', "")
                            && look.words().iter().any(|w| w.text().contains("quarantine"))
                }
                _ => true,
            };
            changes.then(|| look.hit())
        },
    ),
    matches: &[
        "chcon -R -t public_content_rw_t /srv",
        "chcon -t bin_t /srv/x",
        "semanage permissive -a httpd_t",
        "semanage fcontext -d '/srv(/.*)?'",
        "setfattr -x security.selinux x",
        "xattr -d com.apple.quarantine x.app",
        "xattr -cr /Applications/X.app",
    ],
    near_misses: &["semanage fcontext -l", "chcon -t etc_t app.conf"],
    safe: &[
        "ls -Z",
        "xattr -l x.app",
        "setfattr -n user.note -v x a.txt",
    ],
    ..Rule::ASK
};

const UMASK: Rule = Rule {
    id: "perm.umask",
    class: "perm",
    severity: Severity::Low,
    keys: &[Key::ours("umask that lets others write")],
    reason: "With this umask, every new file can be changed by every user.",
    alternative: Some("Use `umask 022`."),
    test: Test::Program(&["umask"], |look| {
        let word = look.operands().first()?;
        let text = word.known()?;
        let open = match u32::from_str_radix(text, 8) {
            Ok(bits) => bits & 0o002 == 0,
            Err(_) => parse(text).is_some_and(|m| m.writes_for_others),
        };
        open.then(|| look.hit_word(word))
    }),
    matches: &["umask 000", "umask 0", "umask o=rwx"],
    near_misses: &["umask 027"],
    safe: &["umask 022", "umask", "umask -S"],
    ..Rule::ASK
};
