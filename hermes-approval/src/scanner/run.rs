//! A program that is run with a time-out, and killed with all it has started.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How much of what it prints is read.
const OUTPUT: u64 = 1 << 20;
/// The longest time between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(10);

pub(super) enum Ended {
    Exited { code: i32, stdout: Vec<u8> },
    Killed,
    TimedOut,
}

pub(super) fn run(program: &Path, arguments: &[&str], timeout: Duration) -> io::Result<Ended> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // A group of its own, to be killed as a whole.
        command.process_group(0);
    }
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let output = read_in_background(&mut child);
    let status = wait(&mut child, begun, timeout);
    let Some(status) = status? else {
        kill(&mut child);
        return Ok(Ended::TimedOut);
    };
    let Some(code) = status.code() else {
        return Ok(Ended::Killed);
    };
    // A program that it has left behind may hold the output open; the code says enough.
    let left = timeout.saturating_sub(begun.elapsed()).max(PAUSE);
    let stdout = output
        .and_then(|output| output.recv_timeout(left).ok())
        .unwrap_or_default();
    Ok(Ended::Exited { code, stdout })
}

fn wait(child: &mut Child, begun: Instant, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = timeout.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(None);
        }
        // The standard library has no wait with a time-out.
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(PAUSE);
    }
}

/// So that a program that prints more than a pipe holds does not stop. The thread ends with the
/// pipe.
fn read_in_background(child: &mut Child) -> Option<mpsc::Receiver<Vec<u8>>> {
    let mut pipe = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::Builder::new().name("scanner output".to_owned());
    let started = reader.spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.by_ref().take(OUTPUT).read_to_end(&mut bytes);
        if read.is_ok() && sender.send(bytes).is_ok() {
            // The rest is thrown away, so that the program can end. Whoever waited may be gone.
            let _rest = io::copy(&mut pipe, &mut io::sink());
        }
    });
    match started {
        Ok(_) => Some(receiver),
        Err(error) => {
            tracing::warn!(%error, "the output of the scanner is not read; its exit code counts");
            None
        }
    }
}

fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        if let Err(error) =
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
        {
            tracing::warn!(%error, "what the scanner has started could not be killed");
        }
    }
    if let Err(error) = child.kill().and_then(|()| child.wait()) {
        tracing::warn!(%error, "the scanner could not be killed");
    }
}
