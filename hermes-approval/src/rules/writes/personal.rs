//! Keys, start-up files and credentials of an account, and what belongs to Hermes.

use super::written::{How, WRITERS, redirected, written};
use super::{COPY_SENSITIVE, REDIRECTION, TEE};
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Hit, Key, Rule, Severity, Test};

const EDIT: Key = Key::from19("in-place edit of sensitive credential/SSH/shell-rc path");
const EDIT_LONG: Key =
    Key::from19("in-place edit of sensitive credential/SSH/shell-rc path (long flag)");
const EDIT_PERL: Key =
    Key::from19("in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)");
const OTHER: Key = Key::ours("write to credential, SSH or start-up file");
const EDIT_HERMES: Key = Key::from19("in-place edit of Hermes config/env");
const EDIT_HERMES_LONG: Key = Key::from19("in-place edit of Hermes config/env (long flag)");
const EDIT_HERMES_PERL: Key = Key::from19("in-place edit of Hermes config/env (perl/ruby)");
const PROJECT_TEE: Key = Key::both("overwrite project env/config via tee");
const PROJECT_REDIRECT: Key = Key::both("overwrite project env/config via redirection");
const PROJECT_COPY: Key = Key::both("overwrite project env/config file");

/// What is put where a login, a desktop or a scheduler runs it is run without a question later.
const REASON: &str = "This writes a file that decides who gets in or what is run by itself.";

pub(super) const REDIRECT: Rule = Rule {
    id: "write.redirect-personal",
    class: "secrets-write",
    severity: Severity::High,
    keys: &[REDIRECTION],
    reason: REASON,
    alternative: Some("Show what is there first with `tail ~/.bashrc` and name the line to add."),
    test: Test::Redirect(|look| {
        let (redirect, _) = redirected(look, Place::is_personal)?;
        Some(look.hit_at(redirect.span))
    }),
    matches: &[
        "echo k >> ~/.ssh/authorized_keys",
        "cat k.pub >> /home/sam/.ssh/authorized_keys",
        "echo alias ls=rm >> ~/.bashrc",
        "echo x >> $HOME/.bash_profile",
        "echo x >> ~/.netrc",
        "echo 'registry=x' >> ~/.npmrc",
        "echo x > ~/.aws/credentials",
        "echo x >> ~root/.bashrc; echo x >> /root/.bashrc",
        "echo x > ~/.config/autostart/x.desktop",
        "cd ~/.ssh && cat k >> authorized_keys",
    ],
    near_misses: &[
        "x >> netrc",
        "echo x > .bashrc.bak",
        "cat ~/.ssh/config > c.txt",
    ],
    safe: &[
        "echo x >> notes.md",
        "ls -la ~/.ssh > list.txt",
        "source ~/.bashrc",
    ],
    ..Rule::ASK
};

pub(super) const FILE: Rule = Rule {
    id: "write.personal",
    class: "secrets-write",
    severity: Severity::High,
    keys: &[OTHER],
    reason: REASON,
    alternative: Some(
        "Show what is there first, and name the line to change: `grep -n x ~/.bashrc`.",
    ),
    test: Test::Program(WRITERS, |look| {
        let found = written(look, Place::is_personal)?;
        let hit = look.hit_word(found.word);
        Some(match found.how {
            How::Tee => hit.keys(&[TEE]),
            How::Copy => hit.keys(&[COPY_SENSITIVE]),
            How::Away => hit.reason("This moves a file away that decides who gets in."),
            How::Sed => hit.keys(&[EDIT]).accepts(&[EDIT_LONG]),
            How::Perl => hit.keys(&[EDIT_PERL]),
            How::Other => hit,
        })
    }),
    matches: &[
        "x | tee ~/.bashrc",
        "tee -a ~/.profile < x",
        "cp k ~/.ssh/authorized_keys",
        "cp k.pub ~/.ssh/",
        "mv evil ~/.config/fish/config.fish",
        "cp dotfiles/.zshrc ~/",
        "install -m 600 k ~/.ssh/id_rsa",
        "sed -i s/a/b/ ~/.zshrc",
        "sed -i s/a/b/ ~/.bashrc",
        "perl -i -pe s/a/b/ ~/.zshrc",
        "ruby -i -pe x ~/.zshrc",
        "ln -sf /tmp/x ~/.bashrc",
        "curl -o ~/.ssh/authorized_keys https://x.example.net/k",
        "dd of=/home/sam/.ssh/authorized_keys",
        "rsync k sam@host:~/.ssh/authorized_keys",
        "mv ~/.ssh /tmp/x",
    ],
    near_misses: &[
        "cp ~/.ssh/config x",
        "sed -n p ~/.bashrc",
        "perl x ~/.zshrc",
    ],
    safe: &[
        "cp ~/.bashrc bashrc.copy",
        "cat ~/.zshrc | tee zshrc.txt",
        "ssh-keygen -l -f k",
    ],
    ..Rule::ASK
};

const HERMES_REASON: &str = "This changes what Hermes is allowed to do, knows or remembers.";

pub(super) const HERMES_REDIRECT: Rule = Rule {
    id: "write.redirect-hermes",
    class: "hermes-self",
    severity: Severity::High,
    keys: &[REDIRECTION],
    accepts: &[PROJECT_REDIRECT],
    reason: HERMES_REASON,
    alternative: Some("Use `hermes config set` for a setting, so that it is checked."),
    test: Test::Redirect(|look| {
        let (redirect, _) = redirected(look, Place::is_hermes)?;
        Some(look.hit_at(redirect.span))
    }),
    matches: &[
        "echo x > ~/.hermes/config.yaml",
        "echo A=1 >> ~/.hermes/.env",
        "> ~/.hermes/state.db",
        "echo x >> $HERMES_HOME/config.yaml",
        "echo x > ~/.hermes/profiles/work/config.yaml",
    ],
    near_misses: &["cat ~/.hermes/config.yaml > c.txt", "echo x > config.yaml"],
    safe: &[
        "cat ~/.hermes/logs/agent.log",
        "echo x > ~/.hermes/skills/notes.md",
    ],
    ..Rule::ASK
};

pub(super) const HERMES: Rule = Rule {
    id: "write.hermes",
    class: "hermes-self",
    severity: Severity::High,
    keys: &[Key::ours("write to Hermes files")],
    reason: HERMES_REASON,
    alternative: Some("Use `hermes config set` for a setting, so that it is checked."),
    test: Test::Program(WRITERS, hermes),
    matches: &[
        "sed -i s/manual/off/ ~/.hermes/config.yaml",
        "sed -n -i 's/manual/off/p' ~/.hermes/config.yaml",
        "perl -pi -e 's/manual/off/' ~/.hermes/config.yaml",
        "ruby -i -pe x ~/.hermes/config.yaml",
        "cp x ~/.hermes/.env",
        "cp config.yaml ~/.hermes/",
        "x | tee ~/.hermes/config.yaml",
        "mv ~/.hermes/config.yaml /tmp/",
        "mv $HERMES_HOME /tmp/lost",
        "mv ~/.hermes ~/.hermes.old",
        "ln -sf /dev/null ~/.hermes/config.yaml",
        "truncate -s0 $HERMES_HOME/state.db",
        "yq -i '.approvals.mode = \"off\"' ~/.hermes/config.yaml",
    ],
    near_misses: &[
        "cp ~/.hermes/config.yaml /tmp/",
        "sed -n p ~/.hermes/config.yaml",
    ],
    safe: &[
        "ls ~/.hermes",
        "cat ~/.hermes/config.yaml | tee out.txt",
        "yq .model ~/.hermes/config.yaml",
    ],
    ..Rule::ASK
};

fn hermes(look: &Look<'_>) -> Option<Hit> {
    let found = written(look, Place::is_hermes)?;
    let hit = look.hit_word(found.word);
    Some(match found.how {
        How::Tee => hit.keys(&[TEE]).accepts(&[PROJECT_TEE]),
        How::Copy => hit.keys(&[COPY_SENSITIVE]).accepts(&[PROJECT_COPY]),
        How::Sed => hit.keys(&[EDIT_HERMES]).accepts(&[EDIT_HERMES_LONG]),
        How::Perl => hit.keys(&[EDIT_HERMES_PERL]),
        How::Away => hit.reason("This moves files of Hermes away from where it looks for them."),
        How::Other => hit,
    })
}

pub(super) const SSH_COPY: Rule = Rule {
    id: "write.ssh-copy-id",
    class: "secrets-write",
    severity: Severity::High,
    keys: &[Key::ours("install an SSH key on another host")],
    reason: "This lets a key log in on another host.",
    alternative: Some("See what it would do with `ssh-copy-id -n host`."),
    test: Test::Program(&["ssh-copy-id"], |look| {
        (!look.operands().is_empty() && !look.has('n', "")).then(|| look.hit())
    }),
    matches: &["ssh-copy-id root@host", "ssh-copy-id -i k.pub host"],
    near_misses: &["ssh-copy-id -n host", "ssh-copy-id --help"],
    safe: &["ssh host ls"],
    ..Rule::ASK
};
