//! Code of other languages.

use hermes_approval::{EffectKind, Gap};

use crate::support::{check_last, posix};

#[test]
fn commands_that_code_runs_are_read() {
    check_last(&[
        ("python3 -c 'import os; os.system(\"rm a\")'", "rm a"),
        (
            "python3 -c \"import subprocess as s; s.run(['rm', '-rf', 'a'])\"",
            "rm -rf a",
        ),
        ("python -c \"subprocess.call('rm a', shell=True)\"", "rm a"),
        ("python3.11 -c \"__import__('os').system('rm a')\"", "rm a"),
        (
            "python3 -c \"import os; os.execvp('rm', ['rm', 'a'])\"",
            "rm a",
        ),
        ("python3 -c \"import os; os.system(f'rm {x}')\"", "rm ?"),
        ("python3 -c \"import os; os.system('rm ' + x)\"", "rm ?"),
        ("python3 - <<E\nimport os\nos.system('rm a')\nE", "rm a"),
        ("echo \"import os; os.system('rm a')\" | python3", "rm a"),
        (
            "node -e \"require('child_process').execSync('rm a')\"",
            "rm a",
        ),
        (
            "node -e \"require('child_process').spawn('rm', ['-rf', 'a'])\"",
            "rm -rf a",
        ),
        ("perl -e 'system(\"rm a\")'", "rm a"),
        ("perl -e 'system \"rm\", \"a\"'", "rm a"),
        ("perl -e '`rm a`'", "rm a"),
        ("perl -e 'qx(rm a)'", "rm a"),
        ("ruby -e 'system \"rm a\"'", "rm a"),
        ("ruby -e '%x(rm a)'", "rm a"),
        ("php -r 'shell_exec(\"rm a\");'", "rm a"),
        ("lua -e 'os.execute(\"rm a\")'", "rm a"),
        ("awk 'BEGIN{system(\"rm a\")}'", "rm a"),
        ("awk 'BEGIN{print 1 | \"rm a\"}'", "rm a"),
        ("tclsh <<< 'exec rm a'", "rm a"),
        ("osascript -e 'do shell script \"rm a\"'", "rm a"),
        ("R -e 'system(\"rm a\")'", "rm a"),
        ("sudo python3 -c 'import os; os.system(\"rm a\")'", "rm a"),
        (
            "python3 -c \"eval(\\\"__import__('os').system('rm a')\\\")\"",
            "rm a",
        ),
    ]);
}

#[test]
fn what_code_does_to_files_is_read() {
    use EffectKind as Kind;
    let table: &[(&str, Kind, Option<&str>)] = &[
        (
            "python3 -c \"open(os.path.expanduser('~/.bashrc'), 'a')\"",
            Kind::Write,
            Some("~/.bashrc"),
        ),
        (
            "python3 -c \"open(os.path.join('/etc', 'hosts'), 'w')\"",
            Kind::Write,
            Some("/etc/hosts"),
        ),
        ("python3 -c \"os.remove(x)\"", Kind::Delete, None),
        (
            "python3 -c \"import shutil; shutil.rmtree('/srv')\"",
            Kind::DeleteTree,
            Some("/srv"),
        ),
        (
            "python3 -c \"import os; os.remove('a')\"",
            Kind::Delete,
            Some("a"),
        ),
        (
            "python3 -c \"from pathlib import Path; Path('a').unlink()\"",
            Kind::Delete,
            Some("a"),
        ),
        (
            "python3 -c \"open('/etc/hosts', 'w').write('x')\"",
            Kind::Write,
            Some("/etc/hosts"),
        ),
        (
            "python3 -c \"print(open('a').read())\"",
            Kind::Read,
            Some("a"),
        ),
        (
            "python3 -c \"import os; os.rename('a', 'b')\"",
            Kind::Move,
            Some("a"),
        ),
        (
            "python3 -c \"import os; os.kill(1, 9)\"",
            Kind::Signal,
            None,
        ),
        (
            "node -e \"require('fs').rmSync('a', {recursive: true})\"",
            Kind::DeleteTree,
            Some("a"),
        ),
        (
            "node -e \"fs.writeFileSync('a', 'b')\"",
            Kind::Write,
            Some("a"),
        ),
        (
            "deno eval \"Deno.removeSync('a')\"",
            Kind::DeleteTree,
            Some("a"),
        ),
        ("perl -e 'unlink \"a\"'", Kind::Delete, Some("a")),
        ("perl -e 'unlink glob \"*\"'", Kind::Delete, Some("*")),
        ("perl -e 'open(F, \">\", \"a\")'", Kind::Write, Some("a")),
        (
            "ruby -e 'FileUtils.rm_rf(\"a\")'",
            Kind::DeleteTree,
            Some("a"),
        ),
        ("ruby -e 'File.delete(\"a\")'", Kind::Delete, Some("a")),
        ("php -r 'unlink(\"a\");'", Kind::Delete, Some("a")),
        (
            "php -r 'file_put_contents(\"a\", \"b\");'",
            Kind::Write,
            Some("a"),
        ),
        (
            "R -e 'unlink(\"a\", recursive=TRUE)'",
            Kind::DeleteTree,
            Some("a"),
        ),
        (
            "julia -e 'rm(\"a\", recursive=true)'",
            Kind::DeleteTree,
            Some("a"),
        ),
        (
            "python3 <(echo 'import os;os.remove(\"a\")')",
            Kind::Delete,
            Some("a"),
        ),
    ];
    for (text, kind, target) in table {
        let analysis = posix(text);
        let effects: Vec<_> = analysis
            .invocations()
            .iter()
            .flat_map(|i| &i.effects)
            .collect();
        let found = effects
            .iter()
            .any(|e| e.kind == *kind && e.target.as_deref() == *target);
        assert!(found, "{text}: {effects:?}");
    }
}

#[test]
fn harmless_code_has_no_effects() {
    for text in [
        "python3 -c 'print(40+2)'",
        "python3 -c \"print('rm -rf /')\"",
        "python3 -c \"import json,sys; print(json.load(sys.stdin)['title'])\"",
        "python3 -c \"# os.system('rm a')\"",
        "node -e 'console.log(1)'",
        "perl -ne 'print if /rm -rf/' log",
        "awk '{print $1}' f",
        "awk 'NR>=300 && NR<=430' f",
        "ruby -e 'puts 1'",
        "python3 -m pytest -c pytest.ini",
        "python3 tool.py -c config.toml",
    ] {
        let analysis = posix(text);
        assert_eq!(analysis.invocations().len(), 1, "{text}");
        assert!(
            analysis.invocations()[0].effects.is_empty(),
            "{text}: {:?}",
            analysis.invocations()[0].effects
        );
        assert!(analysis.coverage.is_full(), "{text}");
    }
}

#[test]
fn code_made_at_run_time_is_a_hole() {
    for text in [
        "python3 -c 'exec(input())'",
        "perl -e 'system($x)'",
        "node -e 'eval(x)'",
        "ruby -e 'eval(x)'",
    ] {
        let analysis = posix(text);
        let hermes_approval::Coverage::Partial(holes) = &analysis.coverage else {
            panic!("{text}")
        };
        assert_eq!(holes[0].gap, Gap::DynamicCode, "{text}");
    }
}
