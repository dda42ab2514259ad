//! Whether a container reaches the machine that it runs on.

/// Arguments of `run` that give no access, whatever their value.
const HARMLESS: &[&str] = &[
    "--add-host",
    "--cpu-shares",
    "--cpus",
    "--cpuset-cpus",
    "--dns",
    "--dns-search",
    "--env",
    "--gpus",
    "--hostname",
    "--init",
    "--label",
    "--memory",
    "--memory-swap",
    "--no-healthcheck",
    "--pids-limit",
    "--platform",
    "--pull",
    "--read-only",
    "--shm-size",
    "--stop-timeout",
    "--tmpfs",
    "--ulimit",
    "--workdir",
    "-e",
    "-h",
    "-l",
    "-m",
    "-w",
];

/// Those of them that stand alone.
const ALONE: &[&str] = &["--init", "--no-healthcheck", "--read-only"];

/// Whether a `--volume` is a folder of this machine, and not a volume with a name or without one.
pub(super) fn is_of_host(volume: &str) -> bool {
    volume
        .split_once(':')
        .is_some_and(|(from, _)| from.is_empty() || from.contains(['/', '.', '~', '\\', '$']))
}

/// Where a `--volume` is in the container.
pub(super) fn target(volume: &str) -> Option<&str> {
    // A drive of Windows has a colon of its own.
    let from = usize::from(volume.get(1..3) == Some(":\\")) * 2;
    let mut parts = volume.get(from..)?.split(':');
    let first = parts.next()?;
    let target = parts.next().unwrap_or(first);
    Some(
        target
            .strip_suffix('/')
            .filter(|target| !target.is_empty())
            .unwrap_or(target),
    )
}

/// Whether arguments of `run` may give access. What is not known does.
pub(super) fn may_reach_host(arguments: &[String]) -> bool {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let (name, has_value) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (argument.as_str(), false),
        };
        if !HARMLESS.contains(&name) {
            return true;
        }
        if !has_value && !ALONE.contains(&name) {
            arguments.next();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_told_from_volumes() {
        for volume in [
            "/:/host",
            "~/x:/x",
            "./x:/x",
            ".:/x",
            "/var/run/docker.sock:/s",
            "$HOME:/h",
            "a/b:/c:ro",
        ] {
            assert!(is_of_host(volume), "{volume}");
        }
        for volume in ["data:/data", "data:/data:ro", "/data", "a_b-1:/x"] {
            assert!(!is_of_host(volume), "{volume}");
        }
    }

    #[test]
    fn where_a_volume_is_in_the_container_is_told() {
        for (volume, expected) in [
            ("/srv:/workspace", "/workspace"),
            ("data:/root/:ro", "/root"),
            ("/root", "/root"),
            ("C:\\x:/workspace", "/workspace"),
            ("/:/", "/"),
        ] {
            assert_eq!(target(volume), Some(expected), "{volume}");
        }
        assert_eq!(target(""), Some(""));
    }

    #[test]
    fn what_is_not_known_to_be_harmless_reaches_this_machine() {
        let reaches = |text: &str| {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            may_reach_host(&arguments)
        };
        for text in [
            "--privileged",
            "-v /:/h",
            "--volume=/:/h",
            "--mount type=bind,source=/,target=/h",
            "--pid=host",
            "--network host",
            "--cap-add SYS_ADMIN",
            "--device /dev/sda",
            "--gpus all -v /:/h",
            "--init -v=/:/h",
            "-v/:/h",
            "--security-opt seccomp=unconfined",
        ] {
            assert!(reaches(text), "{text}");
        }
        for text in [
            "--gpus all",
            "--gpus=all --shm-size 1g",
            "-e A=-v",
            "--env -v",
            "--init --dns 1.1.1.1",
            "--tmpfs /x:exec",
        ] {
            assert!(!reaches(text), "{text}");
        }
    }
}
