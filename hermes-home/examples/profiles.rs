//! A profile from its making to its archive and back, in a temporary root.
//!
//! ```text
//! cargo run -p hermes-home --example profiles
//! ```

use std::error::Error;
use std::fs;

use hermes_home::{
    CreateOptions, DeleteOptions, Environment, ExportOptions, ImportOptions, Platform, ProfileName,
    RenameOptions, resolve,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("hermes");
    let env = Environment::new(Platform::host()).with_hermes_home(&root);
    let profiles = resolve(&env)?.home.profiles();

    let coder = ProfileName::parse("Coder")?;
    let home = profiles.create(&coder, CreateOptions::blank())?;
    fs::write(home.config_file(), "model: some-model\n")?;
    fs::write(home.env_file(), "API_KEY=secret\n")?;

    let writer = ProfileName::parse("writer")?;
    profiles.create(&writer, CreateOptions::clone_of(&coder))?;
    profiles.activate(&writer)?;
    let editor = ProfileName::parse("editor")?;
    profiles.rename(&writer, &editor, RenameOptions::new())?;
    for entry in profiles.list()? {
        let mark = if entry.active { "*" } else { " " };
        println!("{mark} {:<10} {}", entry.name, entry.home.display());
    }

    let archive = folder.path().join("coder.tar.gz");
    let exported = profiles.export(&coder, &archive, ExportOptions::new())?;
    println!(
        "exported {} files, {} bytes",
        exported.files, exported.bytes
    );
    for one in &exported.left_out {
        println!("  without {}: {}", one.path.display(), one.reason);
    }
    profiles.delete(&coder, DeleteOptions::new())?;
    let imported = profiles.import(&archive, ImportOptions::new())?;
    println!("imported {} as {}", archive.display(), imported.name);

    // What is refused says why, and what to do.
    for refused in [
        profiles.delete(&editor, DeleteOptions::new()).err(),
        profiles.create(&coder, CreateOptions::blank()).err(),
        profiles.activate(&ProfileName::parse("ghost")?).err(),
    ]
    .into_iter()
    .flatten()
    {
        println!(
            "{}: {}\n  {}",
            refused.code(),
            refused.problem(),
            refused.hint()
        );
    }
    Ok(())
}
