//! Tasks with homes of their own in one process, and a child that is told its own.
//!
//! ```text
//! cargo run -p hermes-home --example tasks
//! ```

use std::future::Future;
use std::process::Command;
use std::thread;

use hermes_home::{Context, Environment, HermesHome, Platform, Result, Selection, resolve};

/// Somewhere deep down, where nobody hands a home through.
fn where_am_i(env: &Environment) -> Result<String> {
    let found = resolve(env)?;
    Ok(format!("{} ({})", found.home.display(), found.source))
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir();
    let env = Environment::new(Platform::host())
        .with_user_home(&folder)
        .with_local_app_data(&folder);
    println!("the process   {}", where_am_i(&env)?);

    let coder = home_of("coder", &env)?;
    let _scope = coder.enter();
    println!("this task     {}", where_am_i(&env)?);

    // A new thread starts without an override, and is given the one here.
    let context = Context::capture();
    thread::scope(|threads| {
        let worker = threads.spawn(|| context.run(|| where_am_i(&env)));
        match worker.join() {
            Ok(answer) => println!("a thread      {}", answer?),
            Err(_) => println!("the thread panicked"),
        }
        Ok(())
    })?;

    // A future carries its home with it, whoever polls it.
    let writer = home_of("writer", &env)?;
    let mut future = std::pin::pin!(writer.scope(async { where_am_i(&env) }));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    if let std::task::Poll::Ready(answer) = future.as_mut().poll(&mut cx) {
        println!("a future      {}", answer?);
    }

    let mut child = Command::new("hermes");
    resolve(&env)?.home.prepare_child(&mut child);
    for (name, value) in child.get_envs() {
        let value = value.unwrap_or_default();
        println!("a child       {}={}", name.display(), value.display());
    }
    Ok(())
}

/// A home to work in. It need not exist to be named.
fn home_of(profile: &str, env: &Environment) -> Result<HermesHome> {
    let folder = env.platform_default()?.join("profiles").join(profile);
    let chosen = Selection::new().with_home(folder).resolve(env)?;
    Ok(chosen.home)
}
