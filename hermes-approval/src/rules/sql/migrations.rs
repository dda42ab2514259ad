//! Tools that make a database again from nothing.

use super::SQL;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Test};
use crate::word::Word;

/// Programs, and what they are told to lose everything. A word must be there as a whole, all words
/// of a row in this order.
static TABLE: &[(&[&str], &[&[&str]])] = &[
    (
        &["rails", "rake"],
        &[
            &["db:drop"],
            &["db:drop:all"],
            &["db:drop:_unsafe"],
            &["db:reset"],
            &["db:purge"],
            &["db:migrate:reset"],
            &["db:schema:load"],
            &["db:structure:load"],
            &["db:truncate_all"],
            &["db:seed:replant"],
            &["runner", "*.delete_all"],
            &["runner", "*.destroy_all"],
        ],
    ),
    (&["atlas"], &[&["schema", "clean"]]),
    (&["db-migrate", "migrate-mongo"], &[&["reset"]]),
    (
        &["dotnet", "dotnet-ef"],
        &[&["database", "drop"], &["database", "update", "0"]],
    ),
    (&["drizzle-kit"], &[&["drop"], &["push", "--force"]]),
    (
        &["hasura"],
        &[
            &["metadata", "clear"],
            &["migrate", "apply", "--down", "all"],
        ],
    ),
    (&["skeema"], &[&["push", "--allow-unsafe"]]),
    (&["mix"], &[&["ecto.rollback", "--all"]]),
    (&["drop-database"], &[&[]]),
    (
        &["manage.py", "django-admin"],
        &[
            &["flush"],
            &["reset_db"],
            &["reset_schema"],
            &["migrate", "zero"],
        ],
    ),
    (
        &["artisan"],
        &[
            &["migrate:fresh"],
            &["migrate:refresh"],
            &["migrate:reset"],
            &["db:wipe"],
        ],
    ),
    (
        &["prisma"],
        &[
            &["migrate", "reset"],
            &["db", "push", "--accept-data-loss"],
            &["db", "push", "--force-reset"],
        ],
    ),
    (
        &["sequelize", "sequelize-cli"],
        &[&["db:drop"], &["db:migrate:undo:all"]],
    ),
    (&["typeorm"], &[&["schema:drop"]]),
    (&["knex"], &[&["migrate:rollback", "--all"]]),
    (&["alembic", "flask"], &[&["downgrade", "base"]]),
    (&["flyway"], &[&["clean"]]),
    (&["liquibase"], &[&["dropAll"], &["drop-all"]]),
    (&["dbmate"], &[&["drop"]]),
    (&["mix"], &[&["ecto.drop"], &["ecto.reset"]]),
    (
        &["diesel"],
        &[&["database", "reset"], &["database", "drop"]],
    ),
    (&["sqlx"], &[&["database", "drop"], &["database", "reset"]]),
    (
        &["sea-orm-cli"],
        &[&["migrate", "fresh"], &["migrate", "reset"]],
    ),
    (&["goose"], &[&["reset"], &["down-to", "0"]]),
    (&["migrate"], &[&["drop"]]),
    (
        &["console", "doctrine"],
        &[
            &["doctrine:database:drop"],
            &["doctrine:schema:drop"],
            &["orm:schema-tool:drop"],
        ],
    ),
    (&["supabase"], &[&["db", "reset"]]),
    (&["heroku"], &[&["pg:reset"], &["apps:destroy"]]),
    (
        &["wp"],
        &[&["db", "drop"], &["db", "reset"], &["db", "clean"]],
    ),
    (&["drush"], &[&["sql-drop"], &["sql:drop"]]),
    (&["strapi"], &[&["db:drop"]]),
    (
        &["mikro-orm"],
        &[&["schema:drop"], &["schema:fresh"], &["migration:fresh"]],
    ),
];

#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "alembic", "artisan", "atlas", "bun", "console", "db-migrate", "dbmate", "diesel", "django-admin",
    "doctrine", "dotnet", "dotnet-ef", "drizzle-kit", "drop-database", "drush", "flask", "flyway", "goose",
    "hasura", "heroku", "knex", "liquibase", "manage.py", "migrate", "migrate-mongo", "mikro-orm", "mix",
    "php", "pnpm", "prisma", "python*", "rails", "rake", "sea-orm-cli", "sequelize", "sequelize-cli",
    "skeema", "sqlx", "strapi", "supabase", "typeorm", "wp", "yarn",
];

pub(super) const MIGRATE: Rule = Rule {
    id: "sql.make-again",
    keys: &[Key::ours("drop and make the database again")],
    reason: "This drops the database, or all that is in it, to make it again.",
    alternative: Some("Apply what is missing only, for instance with `rails db:migrate`."),
    help: Help::Anywhere,
    test: Test::Program(TOOLS, makes_again),
    matches: &[
        "rake db:reset",
        "bundle exec rake db:drop db:create",
        "bin/rails db:reset",
        "python manage.py flush --noinput",
        "./manage.py flush",
        "python3 manage.py migrate app zero",
        "php artisan migrate:fresh --force",
        "npx sequelize db:drop",
        "npx prisma migrate reset --force",
        "npx prisma db push --accept-data-loss",
        "yarn prisma migrate reset",
        "pnpm exec prisma migrate reset",
        "mix ecto.reset",
        "alembic downgrade base",
        "flyway clean",
        "diesel database reset",
        "supabase db reset",
        "rails runner 'User.delete_all'",
        "dotnet ef database drop -f",
        "npx drizzle-kit drop",
        "mix ecto.rollback --all",
        "atlas schema clean -u x --auto-approve",
    ],
    near_misses: &[
        "rails db:migrate",
        "RAILS_ENV=test rails db:reset",
        "python manage.py test",
        "npx prisma db push",
    ],
    safe: &[
        "rails db:migrate",
        "rails db:seed",
        "python manage.py migrate",
        "python manage.py makemigrations",
        "php artisan migrate",
        "npx prisma migrate dev",
        "npx prisma generate",
        "bin/rails db:schema:load RAILS_ENV=test",
        "MIX_ENV=test mix ecto.reset",
        "alembic upgrade head",
        "alembic downgrade -1",
        "php artisan migrate:fresh --env=testing",
        "flyway migrate",
        "php artisan migrate:fresh --help",
    ],
    ..SQL
};

fn makes_again(look: &Look<'_>) -> Option<Hit> {
    let mut words = look.words();
    let mut name = look.name;
    if matches!(name, "python" | "php") {
        // The script that is run counts: `python manage.py flush`.
        let at = words
            .iter()
            .position(|w| !w.known_prefix().starts_with('-'))?;
        let script = words.get(at)?.known()?;
        name = script.rsplit('/').next().unwrap_or(script);
        words = words.get(at + 1..)?;
    }
    if matches!(name, "bun" | "pnpm" | "yarn") {
        // They run what a project has installed: `yarn prisma migrate reset`.
        let mut operands = look.operands().iter().filter_map(|w| w.known());
        name = operands.find(|w| !matches!(*w, "dlx" | "exec" | "run" | "x"))?;
    }
    let mut rows = TABLE.iter().filter(|(names, _)| names.contains(&name));
    let loses = rows.any(|(_, orders)| orders.iter().any(|order| follows(words, order)));
    (loses && !is_for_tests(look)).then(|| look.hit())
}

fn follows(words: &[Word], order: &[&str]) -> bool {
    let mut words = words.iter();
    order.iter().all(|part| {
        words.any(|word| {
            word.candidates().any(|c| match part.strip_prefix('*') {
                Some(end) => c.ends_with(end),
                None => c == *part,
            })
        })
    })
}

/// Databases for tests are made again all the time.
fn is_for_tests(look: &Look<'_>) -> bool {
    let is_test = |value: &str| matches!(value, "test" | "testing");
    let by_variable = look.invocation.assignments.iter().any(|a| {
        a.name.ends_with("_ENV") && a.values.iter().any(|v| v.known().is_some_and(is_test))
    });
    by_variable
        || look.words().iter().any(|word| {
            word.known()
                .and_then(|w| w.split_once('='))
                .is_some_and(|(name, value)| {
                    (name.ends_with("_ENV") || matches!(name, "--env" | "-e")) && is_test(value)
                })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_looked_at() {
        for (names, _) in TABLE {
            for name in *names {
                assert!(TOOLS.contains(name), "{name}");
            }
        }
    }
}
