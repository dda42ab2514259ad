//! A podman of a test's own: its images, containers and settings are in the test's folder, and its
//! one image is made of programs of this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Its one image.
pub const PODMAN_IMAGE: &str = "localhost/hermes-test:1";

/// What is in the image.
const PROGRAMS: &[&str] = &[
    "bash", "sh", "sleep", "cat", "ls", "mkdir", "rm", "mktemp", "env", "head", "tail", "grep",
    "kill", "id", "setsid", "stty", "tty", "wc", "tr", "cut", "touch", "readlink", "yes", "df",
    "chmod", "dd",
];

/// A podman that keeps everything in one folder. Its containers end with it.
#[derive(Debug)]
pub struct Podman {
    folder: PathBuf,
    variables: Vec<(String, String)>,
    limits: bool,
}

impl Podman {
    /// Nothing where it cannot run; that is said loudly.
    pub fn start_in(folder: &Path) -> Option<Self> {
        let path = std::env::var("PATH").unwrap();
        let is_there = std::env::split_paths(&path).any(|folder| folder.join("podman").is_file());
        if !is_there {
            eprintln!("SKIPPED: there is no podman; `cargo xtask ci --install` installs it");
            return None;
        }
        let mut podman = Self {
            folder: folder.to_owned(),
            variables: vec![("PATH".to_owned(), path.clone())],
            limits: true,
        };
        podman.make_root();
        podman.write_storage();
        let mut said = String::new();
        for (ulimits, runtime, limits) in ways(&path) {
            podman.limits = limits;
            podman.write_settings(ulimits, runtime);
            match podman.try_out() {
                Ok(()) => return Some(podman),
                Err(why) => said = why,
            }
        }
        eprintln!("SKIPPED: podman runs no containers here: {said}");
        None
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn make_root(&self) {
        let root = self.file("root");
        for folder in ["bin", "tmp", "root", "etc"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for program in PROGRAMS {
            copy(&found(program), &root.join("bin").join(program));
        }
        let linked = Command::new("ldd")
            .args(
                PROGRAMS
                    .iter()
                    .map(|program| root.join("bin").join(program)),
            )
            .output()
            .unwrap();
        let linked = String::from_utf8(linked.stdout).unwrap();
        let libraries = linked
            .split_whitespace()
            .filter(|word| word.starts_with('/') && !word.ends_with(':') && word.contains("lib"));
        for library in libraries {
            let to = root.join(library.trim_start_matches('/'));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            copy(Path::new(library), &to);
        }
        let users = "root:x:0:0:root:/root:/bin/bash\n";
        fs::write(root.join("etc/passwd"), users).unwrap();
    }

    fn write_storage(&self) {
        let settings = format!(
            "[storage]\ndriver = \"vfs\"\ngraphroot = \"{}\"\nrunroot = \"{}\"\n",
            self.file("store").display(),
            self.file("run").display(),
        );
        fs::write(self.file("storage.conf"), settings).unwrap();
    }

    fn write_settings(&mut self, ulimits: &str, runtime: Option<&str>) {
        let mut settings = String::from("[containers]\nlog_driver = \"k8s-file\"\n");
        if !ulimits.is_empty() {
            settings += &format!("default_ulimits = [\"{ulimits}\", \"nproc=4096:4096\"]\n");
        }
        // runc knows no containers without cgroups.
        if !self.limits && runtime != Some("runc") {
            settings += "cgroups = \"disabled\"\n";
        }
        settings += &format!(
            "[engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n\
             lock_type = \"file\"\ntmp_dir = \"{}\"\n",
            self.file("libpod").display(),
        );
        if let Some(runtime) = runtime {
            settings += &format!("runtime = \"{runtime}\"\n");
        }
        fs::write(self.file("containers.conf"), settings).unwrap();
        let folder = self.folder.clone();
        let value = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        self.variables.truncate(1);
        self.variables.extend([
            ("CONTAINERS_CONF".to_owned(), value("containers.conf")),
            ("CONTAINERS_STORAGE_CONF".to_owned(), value("storage.conf")),
            ("HOME".to_owned(), value("")),
            ("PODMAN_SECRET_TOKEN".to_owned(), "secret".to_owned()),
        ]);
    }

    fn try_out(&self) -> Result<(), String> {
        if !self.run(&["image", "exists", PODMAN_IMAGE]).0 {
            let archive = self.file("root.tar");
            let packed = Command::new("tar")
                .arg("-C")
                .arg(self.file("root"))
                .arg("-cf")
                .arg(&archive)
                .arg(".")
                .status()
                .unwrap();
            assert!(packed.success());
            let (imported, said) = self.run(&["import", archive.to_str().unwrap(), PODMAN_IMAGE]);
            if !imported {
                return Err(said);
            }
        }
        let mut arguments = vec!["run", "--rm", "--network", "none"];
        if self.limits {
            arguments.extend(["--memory", "100m", "--cpus", "0.5", "--pids-limit", "50"]);
        }
        arguments.extend([PODMAN_IMAGE, "bash", "-c", ":"]);
        let (runs, said) = self.run(&arguments);
        if runs { Ok(()) } else { Err(said) }
    }

    /// Runs it; gives whether it succeeded, and what it said.
    pub fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = Command::new("podman")
            .args(arguments)
            .env_clear()
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        (output.status.success(), said)
    }

    /// The names of its containers, those that do not run as well.
    pub fn containers(&self) -> Vec<String> {
        let (done, said) = self.run(&["ps", "-a", "--format", "{{.Names}}"]);
        assert!(done, "{said}");
        said.split_whitespace().map(str::to_owned).collect()
    }

    /// The variables that `podman` needs; one more, `PODMAN_SECRET_TOKEN`, must not reach a
    /// container.
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// Whether it can limit what containers use.
    pub fn limits(&self) -> bool {
        self.limits
    }
}

impl Drop for Podman {
    fn drop(&mut self) {
        if self.variables.len() > 1 {
            let _ = self.run(&["rm", "-f", "-a", "-t", "0"]);
        }
    }
}

/// Few open files and processes: what podman sets itself is more than some machines allow.
const FEW: &str = "nofile=1024:1024";

/// How it may run: limits of open files, another runtime, whether it can limit what containers use.
/// A machine that lacks what containers usually have can often run them with less. What is likely to
/// work comes first, for a try takes a second.
fn ways(path: &str) -> Vec<(&'static str, Option<&'static str>, bool)> {
    let mut ways = vec![
        ("", None, true),
        (FEW, None, true),
        (FEW, Some("runc"), true),
        (FEW, Some("crun"), true),
        (FEW, Some("runc"), false),
        (FEW, None, false),
    ];
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let open_files = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let most = open_files.and_then(|line| line.split_whitespace().nth(4)?.parse::<u64>().ok());
    if most.is_some_and(|most| most < 1 << 20) {
        ways.rotate_left(1);
    }
    // crun does not take both versions of cgroups at once.
    let is_hybrid = Path::new("/sys/fs/cgroup/unified").exists();
    let has_runc = std::env::split_paths(path).any(|folder| folder.join("runc").is_file());
    if is_hybrid && has_runc {
        ways.sort_by_key(|way| *way != (FEW, Some("runc"), true));
    }
    ways
}

fn found(program: &str) -> PathBuf {
    let path = std::env::var("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("there is no {program} here"))
}

fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
}
