//! Writing to places that matter.

use crate::invocation::Directory;
use crate::look::Look;
use crate::paths::{Place, Target, Tree};
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::writing::{How, PROGRAMS};

const REDIRECTION: Key = Key::both("overwrite system file via redirection");
const TEE: Key = Key::both("overwrite system file via tee");
/// 0.19 renamed it.
const COPY_SYSTEM: &[Key] = &[
    Key::from19("copy/move file into system config path"),
    Key::only13("copy/move file into /etc/"),
];
const COPY_PERSONAL: &[Key] = &[Key::from19(
    "copy/move file into sensitive credential/SSH/shell-rc path",
)];

pub(super) const REDIRECT_SYSTEM: Rule = Rule {
    id: "fs.redirect-to-system",
    class: "sysconf-write",
    severity: Severity::High,
    keys: &[Key::both("overwrite system config")],
    accepts: &[REDIRECTION],
    reason: "This writes into the configuration or the files of the system.",
    alternative: Some("Write to a file in the project and let a person put it in place."),
    test: Test::Redirect(|look| redirected(look, Place::is_system)),
    matches: &[
        "echo x > /etc/passwd",
        "echo '1.2.3.4 a' >> /etc/hosts",
        "printf x >| /etc/motd",
        "echo x &> /etc/issue",
        "echo evil > /private/etc/hosts",
        "echo x > /usr/lib/systemd/system/a.service",
        "cat <<EOF > /etc/profile.d/x.sh\nexport A=1\nEOF",
        "echo 1 > /proc/sys/kernel/sysrq",
        "cd /etc && echo x > hosts",
        "echo x > /etc/$NAME",
    ],
    near_misses: &["echo x > ~/.bashrc"],
    safe: &[
        "cat /etc/hosts",
        "echo a > etc/config",
        "echo '> /etc/passwd'",
        "cat /etc/os-release > os.txt",
        "make 2> /dev/null",
    ],
    ..Rule::ASK
};

pub(super) const REDIRECT_PERSONAL: Rule = Rule {
    id: "fs.redirect-to-personal",
    class: "secrets-write",
    severity: Severity::High,
    keys: &[REDIRECTION],
    reason: "This writes a file with keys or credentials, or one that runs at every start.",
    alternative: Some("Show the user the lines to add."),
    test: Test::Redirect(|look| redirected(look, is_personal)),
    matches: &[
        "echo k >> ~/.ssh/authorized_keys",
        "echo alias ls=rm >> ~/.bashrc",
        "x >> ~/.netrc",
        "echo x >> $HOME/.bash_profile",
        "cat k.pub >> /home/agent/.ssh/authorized_keys",
        "echo x > ~/.aws/credentials",
        "cat /dev/null > ~/.bash_history",
        "echo x > .git/hooks/pre-commit",
    ],
    near_misses: &["x >> netrc", "echo x > ~/notes.txt"],
    safe: &[
        "cat ~/.bashrc",
        "echo x > bashrc",
        "ls -la ~/.ssh > list.txt",
    ],
    ..Rule::ASK
};

pub(super) const REDIRECT_HERMES: Rule = Rule {
    id: "fs.redirect-to-hermes",
    class: "hermes-self",
    severity: Severity::High,
    keys: &[REDIRECTION],
    accepts: &[Key::both("overwrite project env/config via redirection")],
    reason: "This overwrites the configuration, the secrets or the state of Hermes.",
    alternative: Some("Change it with `hermes config set key value`."),
    test: Test::Redirect(|look| redirected(look, Place::is_hermes)),
    matches: &[
        "echo x > ~/.hermes/config.yaml",
        "echo A=1 >> $HERMES_HOME/.env",
        "> ~/.hermes/state.db",
    ],
    near_misses: &["echo x > ~/.hermes/skills/a.md"],
    safe: &["cat ~/.hermes/logs/agent.log > log.txt"],
    ..Rule::ASK
};

pub(super) const REDIRECT_PROJECT: Rule = Rule {
    id: "fs.redirect-to-project-env",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: &[Key::both("overwrite project env/config via redirection")],
    reason: "This writes the project's environment file or its configuration.",
    alternative: Some("Write to a template: `cp .env.example .env.sample`."),
    test: Test::Redirect(|look| {
        redirected(look, |p| {
            matches!(p, Place::ProjectEnv | Place::ProjectConfig)
        })
    }),
    matches: &[
        "echo A=1 > .env",
        "echo A=1 >> .env.production",
        "x > app/config.yaml",
    ],
    near_misses: &["echo A=1 > .env.example", "x > .envrc"],
    safe: &[
        "echo A=1 > .envrc.sample",
        "echo x > config.yaml.bak",
        "cat config.yaml",
        "echo x > env.txt",
    ],
    ..Rule::ASK
};

fn is_personal(place: Place) -> bool {
    place.is_personal() || matches!(place, Place::History | Place::Hook)
}

fn redirected(look: &Look<'_>, wanted: impl Fn(Place) -> bool) -> Option<Hit> {
    let mut redirected = look.redirected().iter();
    let (word, _) = redirected.find(|(_, place)| wanted(*place))?;
    Some(look.hit_word(word))
}

pub(super) const SYSTEM: Rule = Rule {
    id: "fs.write-system",
    class: "sysconf-write",
    severity: Severity::High,
    keys: COPY_SYSTEM,
    reason: "This writes into the configuration or the files of the system.",
    alternative: Some("Write to a file in the project and let a person put it in place."),
    test: Test::Program(PROGRAMS, |look| {
        let (target, how) = written(look, Place::is_system)?;
        let hit = look.hit_word(target.word);
        Some(match how {
            How::Tee => hit.keys(&[TEE]),
            How::Edit | How::EditScript => hit.keys(EDIT_SYSTEM).accepts(EDIT_SYSTEM_LONG),
            How::Copy | How::Link => hit,
            How::Output | How::Unpack => hit.keys(OTHER_SYSTEM).accepts(COPY_SYSTEM),
        })
    }),
    matches: &[
        "cp sshd_config /etc/ssh/sshd_config",
        "mv x.conf /etc/nginx/",
        "cp a /private/etc/b",
        "cat a | tee /etc/resolv.conf",
        "sed -i s/no/yes/ /etc/ssh/sshd_config",
        "sed --in-place s/a/b/ /etc/fstab",
        "ln -sf /tmp/x /etc/localtime",
        "rsync x.conf /etc/",
        "curl -o /etc/cron.d/x https://files.example.net/x",
        "wget -O /usr/local/bin/tool https://files.example.net/t",
        "cp evil /usr/bin/ls",
        "ed /etc/passwd < script.ed",
        "patch /etc/fstab < a.patch",
        "find . | cpio -pdm /etc",
        "install -m 755 x /usr/local/bin/x",
        "cp --target-directory=/etc/profile.d x.sh",
        "sed -ne 's/a/b/w /etc/issue.net' a.txt",
        "awk 'BEGIN { print \"x\" > \"/etc/motd\" }'",
        "openssl req -x509 -nodes -keyout /etc/ssl/private/k.pem -out /etc/ssl/c.pem",
        "aws s3 cp s3://b/x /etc/x",
        "docker cp box:/x /etc/x",
        "find . -fprint /etc/motd",
        "gcc -o /usr/bin/ls x.c",
        "uniq a.txt /etc/motd",
        "cp -t /etc a b",
    ],
    near_misses: &[
        "cp a etc/b",
        "sed -n p /etc/x",
        "cp /etc/hosts ./hosts.copy",
        "docker cp /etc/hosts box:/tmp/x",
        "awk '$1 > \"a\"' /etc/passwd",
        "sed 's/how /etc/' a.txt",
        "uniq /etc/shells",
    ],
    safe: &[
        "cp /etc/hosts ./hosts.copy",
        "cat /etc/os-release | tee os.txt",
        "sed -n 1,5p /etc/fstab",
        "mkdir -p build/etc && cp a build/etc/",
        "tee out.txt < in.txt",
    ],
    ..Rule::ASK
};

const EDIT_SYSTEM: &[Key] = &[Key::both("in-place edit of system config")];
const EDIT_SYSTEM_LONG: &[Key] = &[Key::both("in-place edit of system config (long flag)")];
const OTHER_SYSTEM: &[Key] = &[Key::ours("write file into the system")];

pub(super) const PERSONAL: Rule = Rule {
    id: "fs.write-personal",
    class: "secrets-write",
    severity: Severity::High,
    keys: COPY_PERSONAL,
    reason: "This writes a file with keys or credentials, or one that runs at every start.",
    alternative: Some("Show the user what to change."),
    test: Test::Program(PROGRAMS, |look| {
        let (target, how) = written(look, is_personal)?;
        let hit = look.hit_word(target.word);
        Some(match how {
            How::Tee => hit.keys(&[TEE]),
            How::Edit => hit.keys(EDIT_PERSONAL),
            How::EditScript => hit.keys(EDIT_PERSONAL_SCRIPT),
            _ => hit,
        })
    }),
    matches: &[
        "cp k ~/.ssh/authorized_keys",
        "x | tee ~/.bashrc",
        "tee -a ~/.profile < x",
        "sed -i s/a/b/ ~/.zshrc",
        "perl -i x ~/.zshrc",
        "mv evil ~/.config/fish/config.fish",
        "ln -sf /dev/null ~/.bash_history",
        "cp hook .git/hooks/pre-push",
        "curl -so ~/.bash_aliases x.example.net/a",
        "gcp a ~/.claude/settings.json",
        "truncate -s 0 ~/.zsh_history",
    ],
    near_misses: &[
        "cp ~/.ssh/config x",
        "sed -n p ~/.bashrc",
        "perl x ~/.zshrc",
        "x | tee bashrc",
    ],
    safe: &["cp ~/.bashrc bashrc.bak", "diff ~/.bashrc bashrc"],
    ..Rule::ASK
};

const EDIT_PERSONAL: &[Key] = &[Key::from19(
    "in-place edit of sensitive credential/SSH/shell-rc path",
)];
const EDIT_PERSONAL_SCRIPT: &[Key] = &[Key::from19(
    "in-place edit of sensitive credential/SSH/shell-rc path (perl/ruby)",
)];

pub(super) const HERMES: Rule = Rule {
    id: "fs.write-hermes",
    class: "hermes-self",
    severity: Severity::High,
    keys: &[Key::ours("overwrite configuration or state of Hermes")],
    accepts: &[Key::both("overwrite project env/config file")],
    reason: "This overwrites the configuration, the secrets or the state of Hermes.",
    alternative: Some("Change it with `hermes config set key value`."),
    test: Test::Program(PROGRAMS, |look| {
        let (target, how) = written(look, Place::is_hermes)?;
        let hit = look.hit_word(target.word);
        Some(match how {
            How::Tee => hit.keys(&[TEE]).accepts(TEE_PROJECT),
            How::Edit => hit.keys(EDIT_HERMES),
            How::EditScript => hit.keys(EDIT_HERMES_SCRIPT),
            How::Copy => hit.keys(COPY_PROJECT).accepts(HERMES.keys),
            _ => hit,
        })
    }),
    matches: &[
        "sed -i s/manual/off/ ~/.hermes/config.yaml",
        "sed -n -i 's/manual/off/p' ~/.hermes/config.yaml",
        "perl -pi -e 's/manual/off/' ~/.hermes/config.yaml",
        "cp x ~/.hermes/.env",
        "ln -sf /dev/null ~/.hermes/config.yaml",
        "truncate -s0 $HERMES_HOME/state.db",
        "x | tee ~/.hermes/config.yaml",
    ],
    near_misses: &[
        "sed -n p ~/.hermes/config.yaml",
        "cp x ~/.hermes/skills/a.md",
    ],
    safe: &[
        "cp ~/.hermes/config.yaml backup.yaml",
        "cat ~/.hermes/config.yaml",
    ],
    ..Rule::ASK
};

const EDIT_HERMES: &[Key] = &[Key::from19("in-place edit of Hermes config/env")];
const EDIT_HERMES_SCRIPT: &[Key] = &[Key::from19(
    "in-place edit of Hermes config/env (perl/ruby)",
)];
const TEE_PROJECT: &[Key] = &[Key::both("overwrite project env/config via tee")];
const COPY_PROJECT: &[Key] = &[Key::both("overwrite project env/config file")];

pub(super) const PROJECT: Rule = Rule {
    id: "fs.write-project-env",
    class: "secrets-write",
    severity: Severity::Medium,
    keys: COPY_PROJECT,
    reason: "This overwrites the project's environment file or its configuration.",
    alternative: Some("Write to another name and compare: `cp new.yaml config.new.yaml`."),
    test: Test::Program(PROGRAMS, |look| {
        let (target, how) = written(look, |p| {
            matches!(p, Place::ProjectEnv | Place::ProjectConfig)
        })?;
        let hit = look.hit_word(target.word);
        match how {
            How::Tee => Some(hit.keys(TEE_PROJECT)),
            How::Copy | How::Link => Some(hit),
            // An edit keeps what it doesn't name; of secrets it is asked all the same.
            How::Edit | How::EditScript if target.place() == Some(Place::ProjectConfig) => None,
            _ => Some(hit.keys(OTHER_PROJECT).accepts(COPY_PROJECT)),
        }
    }),
    matches: &[
        "cp a .env",
        "cp new.yaml config.yaml",
        "x | tee .env",
        "sed -i s/a/b/ .env",
        "curl -o .env u",
    ],
    near_misses: &["cp .env a", "x | tee env", "sed -i s/a/b/ config.yaml"],
    safe: &[
        "cp .env.example /tmp/env.sample",
        "sed -i s/a/b/ config.yaml",
        "tee report.md <<'EOF'\nthe file config.yaml was read\nEOF",
    ],
    ..Rule::ASK
};

const OTHER_PROJECT: &[Key] = &[Key::ours("change project environment file")];

fn written<'a>(look: &Look<'a>, wanted: impl Fn(Place) -> bool) -> Option<(Target<'a>, How)> {
    let write = look
        .writes()
        .iter()
        .find(|w| w.place.is_some_and(&wanted))?;
    // A trial run writes nothing.
    let tries = match look.name {
        "rsync" => look.has('n', "dry-run"),
        "patch" => look.has('\0', "dry-run"),
        _ => false,
    };
    (!tries).then_some((write.target, write.how))
}

pub(super) const UNPACK: Rule = Rule {
    id: "fs.unpack-over-system",
    class: "fs-other",
    severity: Severity::High,
    keys: &[Key::ours("unpack over a whole tree")],
    reason: "This unpacks an archive over the file system, the system or a whole home.",
    alternative: Some("Unpack into an empty folder first: `tar xf a.tar -C new`."),
    test: Test::Program(UNPACKERS, |look| {
        let over = look
            .writes()
            .iter()
            .find(|w| w.target.tree().is_some_and(Tree::is_vital));
        let lists = match look.name {
            "tar" | "bsdtar" => !unpacks(look),
            "unzip" => look.has('l', "") || look.has('t', ""),
            "cpio" => !(look.has('i', "extract") || look.has('p', "pass-through")),
            "pax" => !look.has('r', ""),
            _ => false,
        };
        if lists {
            return None;
        }
        if let Some(over) = over {
            return Some(look.hit_word(over.target.word));
        }
        // Where nothing else is named, it goes into the working directory.
        let Directory::Known(here) = &look.invocation.directory else {
            return None;
        };
        let system = matches!(
            Tree::of_text(here, look.scope.env),
            Some(Tree::Root | Tree::System)
        );
        (system && look.writes().is_empty()).then(|| look.hit())
    }),
    matches: &[
        "tar xf backup.tar -C / --overwrite",
        "unzip -o evil.zip -d /",
        "tar -C / -xzf a.tgz",
        "tar xf a.tar -C ~",
        "cpio -idmu -D / < /tmp/a.cpio",
        "cd / && cpio -idu < /tmp/a.cpio",
        "cd / && tar xzf /tmp/a.tgz",
        "7z x a.7z -o/",
        "unsquashfs -f -d / a.sqfs",
        "dpkg-deb -x a.deb /",
    ],
    near_misses: &[
        "tar cf a.tar -C / etc",
        "tar tf a.tar -C /",
        "cd / && tar czf /tmp/a.tgz srv",
        "cpio -it < a.cpio",
    ],
    safe: &[
        "tar -xf a.tar",
        "tar czf src.tgz src",
        "unzip -l a.zip",
        "tar xf a.tar -C build",
    ],
    ..Rule::ASK
};

/// Programs that unpack an archive.
const UNPACKERS: &[&str] = &[
    "7z",
    "7za",
    "7zr",
    "7zz",
    "bsdtar",
    "cpio",
    "dpkg-deb",
    "pax",
    "tar",
    "unar",
    "unrar",
    "unsquashfs",
    "unzip",
];

fn unpacks(look: &Look<'_>) -> bool {
    look.has('x', "extract") || look.has('\0', "get")
}
