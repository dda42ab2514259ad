//! Becoming somebody else.

use crate::invocation::Stdin;
use crate::look::Look;
use crate::rule::{Hit, Key, Pack, Rule, RuleEffect, Severity, Test};

pub(super) static PACK: Pack = Pack {
    name: "sudo",
    about: "sudo with a password from the text, shells as root, changes of who may do what",
    rules: &[STDIN, FED, FLAGS, ROOT_SHELL, POLICY],
};

const PRIVILEGE: Key = Key::both("sudo with privilege flag (stdin/askpass/shell/list)");
const COMBINED: Key = Key::both("sudo with combined-flag privilege escalation");

const STDIN: Rule = Rule {
    id: "sudo.password-from-stdin",
    class: "sudo",
    severity: Severity::High,
    effect: RuleEffect::SudoGuard,
    keys: &[PRIVILEGE],
    accepts: &[COMBINED],
    reason: "sudo would read a password from its input, which lets passwords be tried out.",
    alternative: Some("Leave the password to the user: `sudo ls`."),
    test: Test::Program(&["sudo"], |look| {
        let option = own_options(look).find(|o| o.letter == 'S')?;
        let keys = if option.alone { ALONE } else { BUNDLE };
        Some(look.hit_word(option.word).keys(keys))
    }),
    matches: &[
        "echo pw | sudo -S ls",
        "sudo -S ls <<< pw",
        "echo pw | sudo --stdin ls",
        "sudo -kS ls",
        "sudo -u root -S id",
        "printf pw | sudo -S -u root id",
    ],
    near_misses: &["sudo tail -S x", "sudo -s"],
    safe: &[
        "sudo -n true",
        "sudo apt-get -s upgrade",
        "sudo du -sh /var",
    ],
    ..Rule::ASK
};

const FED: Rule = Rule {
    id: "sudo.password-fed",
    class: "sudo",
    severity: Severity::High,
    keys: &[Key::ours("password for another user from the text")],
    accepts: &[PRIVILEGE],
    reason: "A password is handed to a program that asks for it, which lets passwords be tried out.",
    alternative: Some("Leave the password to the user: `su -c id bob`."),
    test: Test::Program(
        &["su", "doas", "runuser", "kdesu", "gksu", "login"],
        |look| {
            let literal = |i: &crate::invocation::Invocation| {
                matches!(i.name(), Some("echo" | "printf" | "yes"))
                    && i.stage + 1 == look.invocation.stage
            };
            let fed = match &look.invocation.stdin {
                Stdin::HereString(_) => true,
                Stdin::Pipe(_) => look.upstream().any(literal),
                _ => false,
            };
            let script = look.has('c', "command") || look.name != "su";
            (fed && script).then(|| look.hit())
        },
    ),
    matches: &[
        "echo pw | su -c id root",
        "su - bob -c 'ls -la' <<< pw",
        "printf 'pw\\n' | doas ls",
    ],
    near_misses: &["su -c 'ls -la' bob", "cat a.sql | su postgres -c psql"],
    safe: &["su -c id bob"],
    ..Rule::ASK
};

const ALONE: &[Key] = &[PRIVILEGE];
const BUNDLE: &[Key] = &[COMBINED];

/// An option of sudo itself; what stands behind the command belongs to the command.
struct Own<'a> {
    letter: char,
    word: &'a crate::word::Word,
    alone: bool,
}

fn own_options<'a>(look: &Look<'a>) -> impl Iterator<Item = Own<'a>> {
    const LONG: &[(&str, char)] = &[
        ("stdin", 'S'),
        ("askpass", 'A'),
        ("shell", 's'),
        ("login", 'i'),
        ("edit", 'e'),
        ("list", 'l'),
    ];
    let grammar = crate::grammar::grammar("sudo").unwrap_or(&crate::grammar::UNKNOWN_TOOL);
    let read = crate::grammar::read(look.words(), grammar, crate::grammar::Order::First);
    let words = look.words();
    read.options.into_iter().filter_map(move |o| {
        let letter = if o.long {
            LONG.iter().find(|(name, _)| o.is_long(name))?.1
        } else {
            o.name.chars().next()?
        };
        let word = words.get(o.word)?;
        let alone = o.long || word.text().len() == 2;
        Some(Own {
            letter,
            word,
            alone,
        })
    })
}

const FLAGS: Rule = Rule {
    id: "sudo.flags",
    class: "sudo",
    severity: Severity::High,
    keys: &[PRIVILEGE],
    accepts: &[COMBINED],
    reason: "sudo would run a program to ask for the password, or open a shell.",
    alternative: Some("Run the one command that is needed: `sudo ls`."),
    test: Test::Program(&["sudo"], |look| {
        // A shell or a login that runs one command is that command.
        let runs = look.child().is_some_and(|i| !i.argv.is_empty());
        let option = own_options(look).find(|o| match o.letter {
            'A' => true,
            's' | 'i' => !runs,
            _ => false,
        })?;
        let keys = if option.alone { ALONE } else { BUNDLE };
        Some(look.hit_word(option.word).keys(keys))
    }),
    matches: &[
        "sudo -A ls",
        "sudo -u postgres -s",
        "sudo --shell",
        "sudo -i",
        "sudo -Hs",
    ],
    near_misses: &["sudo -u bob id", "sudo ls -la"],
    safe: &[
        "sudo -l",
        "sudo ls -la",
        "sudo docker ps -a",
        "sudo -n true",
        "sudo --version",
    ],
    ..Rule::ASK
};

const ROOT_SHELL: Rule = Rule {
    id: "sudo.root-shell",
    class: "sudo",
    severity: Severity::High,
    keys: &[Key::ours("shell as another user")],
    reason: "This opens a shell as another user; what is done in it can't be checked.",
    alternative: Some("Run the one command that is needed with `sudo`."),
    test: Test::Program(
        &[
            "su",
            "doas",
            "pkexec",
            "bash",
            "sh",
            "zsh",
            "dash",
            "fish",
            "machinectl",
            "runuser",
            "ash",
            "chroot",
            "csh",
            "ghci",
            "ipython*",
            "irb",
            "ksh",
            "lua*",
            "mksh",
            "node",
            "nsenter",
            "pypy*",
            "python*",
            "rbash",
            "run0",
            "tcsh",
            "login",
            "perl*",
            "ruby*",
            "screen",
            "script",
            "tmux",
            "unshare",
        ],
        root_shell,
    ),
    matches: &[
        "su root",
        "su -",
        "sudo su -",
        "doas -s",
        "sudo bash",
        "sudo -u postgres sh",
        "pkexec bash",
        "run0",
        "run0 -u postgres",
        "sudo python3",
        "sudo chroot /mnt",
        "sudo nsenter -t 1 -a",
        "sudo unshare -m",
        "sudo tmux",
        "login -f root",
        "dzdo ksh",
    ],
    near_misses: &["su -c id bob", "sudo bash build.sh"],
    safe: &[
        "bash",
        "sudo bash -c 'ls -la'",
        "sudo bash ./install.sh --help",
        "sudo python3 --version",
        "sudo python3 -m http.server 80",
        "sudo chroot /mnt ls",
        "run0 --help",
        "run0 id",
        "sudo tmux ls",
        "sudo unshare -m ls",
        "sudo perl -e 'print 1'",
    ],
    ..Rule::ASK
};

fn root_shell(look: &Look<'_>) -> Option<Hit> {
    match look.name {
        "su" | "runuser" => {
            let script =
                look.has('c', "command") || look.has('u', "user") && look.operands().len() > 1;
            let fed =
                look.invocation.stage > 0 || !matches!(look.invocation.stdin, Stdin::Inherited);
            (!script && !fed).then(|| look.hit())
        }
        "doas" => look.has('s', "").then(|| look.hit()),
        // Without a command they start a shell.
        "run0" => look.child().is_none().then(|| look.hit()),
        "login" => Some(look.hit()),
        "chroot" | "nsenter" | "unshare" | "script" => {
            let enters = look.child().is_none() && !look.words().is_empty();
            (enters && look.elevated()).then(|| look.hit())
        }
        "pkexec" => None,
        "machinectl" => (look.verbs(&["shell"]) && look.operands().len() < 3).then(|| look.hit()),
        _ => {
            let bare = look.operands().is_empty()
                && !look.options().options.iter().any(|o| {
                    matches!(
                        o.name,
                        "c" | "e" | "p" | "m" | "V" | "v" | "version" | "eval" | "command"
                    )
                })
                && look.invocation.stage == 0
                && matches!(look.invocation.stdin, Stdin::Inherited);
            (bare && look.elevated()).then(|| look.hit())
        }
    }
}

const POLICY: Rule = Rule {
    id: "sudo.policy",
    class: "sudo",
    severity: Severity::High,
    keys: &[Key::ours("change who may use sudo")],
    reason: "This changes who may become root.",
    alternative: Some("Check a file first with `visudo -c -f sudoers.new`."),
    test: Test::Program(&["visudo", "vipw", "vigr", "sudoedit", "sudo"], |look| {
        let edits = match look.name {
            "visudo" => !look.has('c', "check"),
            // `sudo -e` is `sudoedit`.
            "sudo" => own_options(look).any(|o| o.letter == 'e'),
            _ => true,
        };
        edits.then(|| look.hit())
    }),
    matches: &[
        "sudo EDITOR=vim visudo",
        "visudo",
        "vipw",
        "sudoedit /etc/sudoers",
        "sudo -e /etc/passwd",
    ],
    near_misses: &["visudo -c"],
    safe: &["visudo --help", "sudo -l"],
    ..Rule::ASK
};
