//! Commands that are answered with advice instead of being run.

use crate::programs::{Unwrapped, base_name, has_flag};
use crate::words::{Ending, SimpleCommand};

/// What to do instead of leaving something behind with the means of the shell; nothing if that is
/// not what the commands do.
pub(crate) fn on_backgrounding(commands: &[SimpleCommand]) -> Option<String> {
    for command in commands {
        let unwrapped = Unwrapped::of(command);
        if unwrapped
            .wrapper("setsid")
            // With it, setsid is there until the end.
            .is_some_and(|words| !has_flag(words, 'w', "--wait"))
        {
            return Some(advice("setsid"));
        }
        if command.ending == Ending::Background && unwrapped.wrapper("nohup").is_some() {
            return Some(advice("nohup … &"));
        }
        if unwrapped.program() == "disown" {
            return Some(advice("disown"));
        }
    }
    let last = commands.last()?;
    let is_left = last.ending == Ending::Background && is_server(&Unwrapped::of(last));
    is_left.then(|| advice("&"))
}

fn advice(what: &str) -> String {
    format!(
        "this was not run: a process that `{what}` leaves behind could be neither read nor ended \
         later; run the command without it, in the background (background: true)"
    )
}

/// Programs that do nothing but serve or watch.
const SERVERS: &[&str] = &[
    "caddy",
    "cloudflared",
    "daphne",
    "etcd",
    "gunicorn",
    "http-server",
    "httpd",
    "hypercorn",
    "live-server",
    "memcached",
    "mongod",
    "mysqld",
    "nginx",
    "ngrok",
    "nodemon",
    "postgres",
    "redis-server",
    "serve",
    "uvicorn",
    "waitress-serve",
    "webpack-dev-server",
];

/// What makes a server of programs that do other things, too.
const SERVING: &[&str] = &[
    "dev",
    "port-forward",
    "runserver",
    "serve",
    "server",
    "start",
    "http.server",
    "watch",
    "-S",
];

/// And with which other word that one counts only together with its program.
const TOGETHER: &[(&str, &str)] = &[
    ("docker", "up"),
    ("docker-compose", "up"),
    ("flask", "run"),
    ("jupyter", "lab"),
    ("jupyter", "notebook"),
    ("podman", "up"),
    ("rails", "s"),
    ("streamlit", "run"),
];

fn is_server(unwrapped: &Unwrapped<'_>) -> bool {
    let program = unwrapped.program();
    if SERVERS.contains(&program) || program.contains("server") {
        return true;
    }
    let arguments = unwrapped.words.get(1..).unwrap_or_default();
    arguments.iter().any(|word| {
        SERVING.contains(&word.as_str())
            || TOGETHER.contains(&(program, word.as_str()))
            || base_name(word).contains("server")
    }) || (arguments.is_empty() && program == "vite")
}

#[cfg(test)]
mod tests {
    use super::on_backgrounding;
    use crate::words::commands;

    #[test]
    fn what_would_be_left_behind_is_advised_against() {
        for text in [
            "nohup make &",
            "cd x && nohup ./run.sh > log 2>&1 &",
            "nohup ./run.sh & echo $!",
            "sudo nohup ./run &",
            "setsid ./run",
            "setsid -f ./run",
            "./run & disown",
            "python -m http.server 8000 &",
            "cd app && npm run dev &",
            "npm start &",
            "uvicorn app:app --port 80 > log 2>&1 &",
            "node server.js &",
            "(node ./src/my-server.js) &",
            "docker compose up &",
            "flask run &",
        ] {
            let advice = on_backgrounding(&commands(text)).expect(text);
            assert!(advice.contains("background"), "{advice}");
        }
    }

    #[test]
    fn everything_else_runs() {
        for text in [
            "make",
            "nohup make",
            "setsid --wait ./run",
            "setsid -w ./run",
            "sleep 5 &",
            "make & make test & wait",
            "python -m http.server & sleep 1; curl localhost:8000; kill %1",
            "echo 'nohup x &'",
            "git commit -m 'use setsid'",
            "echo setsid disown",
            "man nohup",
            "npm run build &",
            "foo 2>&1",
            "foo &> x",
            "cat <<E\nnohup x &\nE",
        ] {
            assert_eq!(on_backgrounding(&commands(text)), None, "{text}");
        }
    }
}
